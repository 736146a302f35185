/** Bugs in the HTTP adapter and the views. */
import { type Bug, bugsIn } from "./Bug.ts"

const app = bugsIn("packages/http/src/App.ts")

export const inHttp: ReadonlyArray<Bug> = [
  app(
    "reset-in-milliseconds",
    "X-RateLimit-Reset is told in milliseconds",
    "String(Math.ceil(instant / 1000))",
    "String(instant)"
  ),
  app(
    "retry-after-zero",
    "Retry-After says zero",
    'headers["retry-after"] = String(rate.retryAfterSeconds)',
    'headers["retry-after"] = "0"'
  ),
  app(
    "no-limits-on-errors",
    "an error does not tell what is left",
    "if (rate !== null) {",
    "if (rate !== null && status < 400) {"
  ),
  app("no-request-id", "an answer has no X-Request-Id", '"x-request-id": id,', ""),
  bugsIn("packages/domain/src/views/LeadView.ts")(
    "webhook-tells-flags",
    "the lead of a webhook has the flags of the list",
    "leadCompany: leadCompanyView(lead.profile.company)\n})",
    "leadCompany: leadCompanyView(lead.profile.company),\n  qualified: lead.qualified\n})"
  ),
  bugsIn("packages/domain/src/views/EngagementView.ts")(
    "author-company-left-out",
    "an author's company is left out while the author is a lead",
    "company: companyView(authorLead?.company ?? null)",
    "company: companyView(null)"
  )
]
