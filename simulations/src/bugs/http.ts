/** Bugs in the HTTP adapter and the views. */
import { type Bug, bugsIn } from "./Bug.ts"

const headers = bugsIn("http", "ResponseHeaders")

/** In the package `http` and the views of `domain`, whatever the store. */
export const inHttp: ReadonlyArray<Bug> = [
  headers("reset-in-milliseconds", "X-RateLimit-Reset is in milliseconds", {
    in: "seconds",
    find: "String(Math.ceil($instant / 1000))",
    put: "String($instant)"
  }),
  bugsIn("http", "EncodedBodyCache", "sqlite")(
    "warnings-of-another-list",
    "a list that is read again has the warnings of the list before, where it has as many",
    {
      in: "variantOf",
      find: "JSON.stringify([$engagements, $page, $sort, $warnings])",
      put: "JSON.stringify([$engagements, $page, $sort, $warnings.length])"
    }
  ),
  bugsIn("http", "Observations")(
    "rejections-before-the-fields",
    "observations that are rejected for an unknown field are not counted",
    {
      in: "observations",
      given: ["const $outcomes = $watched.answer($recorded)"],
      find: "$attention.noteOutcomes($brand.id, $outcomes)",
      put: "$attention.noteOutcomes($brand.id, $recorded)"
    }
  ),
  headers("retry-after-zero", "Retry-After says zero", {
    in: "headersOf",
    find: '$headers["retry-after"] = $seconds',
    put: '$headers["retry-after"] = "0"'
  }),
  headers("no-limits-on-errors", "errors have no X-RateLimit headers", {
    in: "headersOf",
    given: ["$status === 429"],
    find: "$rate !== null",
    put: "$rate !== null && $status < 400"
  }),
  bugsIn("http", "App")("methods-not-named", "a 405 does not say which methods there are", {
    in: "notAllowed",
    find: 'HttpServerResponse.setHeader($answer, "allow", $allow)',
    put: "$answer"
  }),
  headers("no-request-id", "an answer has no X-Request-Id", { in: "headersOf", drop: '"x-request-id": $id' }),
  bugsIn("domain", "LeadView")("webhook-tells-flags", "the lead of a webhook has the flags of the list", {
    in: "lead2View",
    find: "leadCompany: $company($lead.profile.company)",
    put: "leadCompany: $company($lead.profile.company), qualified: $lead.qualified"
  }),
  bugsIn("domain", "EngagementView")(
    "author-company-left-out",
    "an author's company is left out while the author is a lead",
    {
      in: "postAuthorDetailView",
      find: "company: $view($company ?? null)",
      put: "company: $view(null)"
    }
  )
]
