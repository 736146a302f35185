import type { Oracle } from "./Oracle.ts"
import { isUnderWay } from "./UnderWay.ts"

/** An id of fewer characters, such as a space, may stand for something else. */
const tellingLength = 6

/** Whether the JSON names the person: by the id anywhere, or, where that is short, as the value of a field `extId`. */
const names = (json: string, extId: string): boolean => {
  const quoted = JSON.stringify(extId)
  return json.includes(extId.length < tellingLength ? `"extId":${quoted}` : quoted.slice(1, -1))
}

/** An erased person is never sent again, and is in no answer to later requests. [PII-3] */
export const erasedStayGone: Oracle = {
  name: "erased stay gone",
  instantiate: (facts, checks) => {
    const answers = checks.rule("each answer to what is asked after an erasure")
    const posts = checks.rule("each post that is begun after an erasure")
    return {
      answered: ({ call, response }) => {
        if (call.meaning.means === "observe") return null
        for (const { at, brandId, extId } of facts.erased.values()) {
          if (call.sentAt <= at || call.brand?.id !== brandId) continue
          answers.judged++
          if (names(response.text, extId)) return `${call.request.method} ${call.route} shows ${extId}`
        }
        return null
      },
      posted: (post) => {
        for (const { at, brandId, extId } of facts.erased.values()) {
          if (post.webhook.brandId !== brandId) continue
          const isNamed = names(post.body, extId)
          if (isNamed && isUnderWay(facts, post, at)) {
            posts.weaken("the attempt was under way as the person was erased")
            continue
          }
          posts.judged++
          if (isNamed) return `the ${post.webhook.behaviour} webhook was sent ${extId} again`
        }
        return null
      }
    }
  }
}
