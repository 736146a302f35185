import type { Answered, Json } from "../world/KnownFacts.ts"
import type { Oracle } from "./Oracle.ts"
import { paramsOf } from "./Requests.ts"
import { isUnderWay } from "./UnderWay.ts"

const brandRoute = "/operator/brands/{brandId}"
const webhookRoute = `${brandRoute}/webhooks/{id}`

/** What the call has deleted, by the parameters of its path; null where it has deleted nothing yet. */
const deletedBy = ({ body, call, response }: Answered): string | null => {
  if (call.request.method !== "DELETE") return null
  const { brandId, id } = paramsOf(call)
  if (call.route === webhookRoute && response.status === 204) return `webhook ${id}`
  return call.route === brandRoute && response.status === 200 && (body as Json).data.deleted === true
    ? `brand ${brandId}`
    : null
}

/** Nothing is sent to a webhook that was deleted, itself or with its brand. [DEL-1, DELIV-2] */
export const deletedStayGone: Oracle = {
  name: "deleted stay gone",
  instantiate: (facts) => {
    const deleted = new Map<string, number>()
    return {
      answered: (answered) => {
        const what = deletedBy(answered)
        if (what !== null) deleted.set(what, answered.at)
        return null
      },
      posted: (post) => {
        const { subject, webhook } = post
        const since = deleted.get(`brand ${webhook.brandId}`) ?? deleted.get(`webhook ${webhook.id}`)
        return since !== undefined && !isUnderWay(facts, post, since)
          ? `the webhook ${webhook.id} of brand ${webhook.brandId} is deleted, and was sent ${subject}`
          : null
      }
    }
  }
}
