import type { RuleChecks } from "./Checks.ts"
import type { Oracle } from "./Oracle.ts"
import { isUnderWay } from "./UnderWay.ts"

/** Whether the id stands for its person alone: those of requests in other forms are texts that names and headlines have, too. */
const isTelling = (extId: string): boolean => /^(?:b\d+|shared)-p\d+\.$/.test(extId)

/** The text as it is within a string of JSON. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Whether the JSON, or JSON in a string of it, names the person: by the id anywhere, or, where that is not telling, as the value of a field `extId`. */
const names = (json: string, extId: string): boolean => {
  const found = isTelling(extId) ? escaped(extId) : `"extId":${JSON.stringify(extId)}`
  return json.includes(found) || json.includes(escaped(found))
}

/** An erased person is never sent again, and is in no answer to later requests. [PII-3] */
export const erasedStayGone: Oracle = {
  name: "erased stay gone",
  instantiate: (facts, checks) => {
    const answers = checks.rule("each answer to what is asked after an erasure")
    const posts = checks.rule("each post that is begun after an erasure")
    const count = (rule: RuleChecks, extId: string): void => {
      if (isTelling(extId)) rule.judged++
      else rule.weaken("an id that is a strange text is looked for as the value of extId alone")
    }
    return {
      answered: ({ call, response }) => {
        if (call.meaning.means === "observe") return null
        for (const { at, brandId, extId } of facts.erased.values()) {
          if (call.sentAt <= at || call.brand?.id !== brandId) continue
          count(answers, extId)
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
          count(posts, extId)
          if (isNamed) return `the ${post.webhook.behaviour} webhook was sent ${extId} again`
        }
        return null
      }
    }
  }
}
