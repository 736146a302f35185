/** The operator's call that reads the audit log. [AUD-4] */
import { AccessTokenStore, AuditLog, AuditQueries, warningsView } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect, Schema } from "effect"
import { AuditListAnswer } from "../contract/TokenSchemas.ts"
import { CurrentOperator } from "../CurrentOperator.ts"
import { parameter } from "../contract/Fields.ts"
import { warningsOf } from "../contract/Suggestions.ts"
import * as Target from "../Target.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { auditEntryView } from "./Views.ts"

/** GET /operator/audit. Needs the scope admin. A token that is limited to brands sees their entries alone. [AUD-4] */
export const audit = {
  listAudit: operatorEndpoint(
    HttpApiEndpoint.get("listAudit", "/operator/audit")
      .setUrlParams(
        Schema.Struct({
          brandId: parameter({ type: "string" }, "Entries of this brand alone"),
          since: parameter(
            { type: "string" },
            "Entries at or after this time: any timestamp that the filters take"
          ),
          cursor: parameter({ type: "string" }, "meta.nextCursor of the page before"),
          pageSize: parameter({ type: "integer", minimum: 1, default: 25 }, "At most 100; more is capped")
        })
      )
      .addSuccess(AuditListAnswer),
    {
      scope: "admin",
      takesLimited: true,
      summary: "Who did what: the audit log, newest first",
      description:
        "Calls of operators that changed something, and lists and exports of leads. An entry holds ids alone. A token that is limited to brands sees the entries of these brands.",
      answer: "A page of entries",
      handle: ({ request }) =>
        Effect.gen(function* () {
          const [log, tokens, operator] = yield* Effect.all([AuditLog, AccessTokenStore, CurrentOperator])
          const query = yield* AuditQueries.readList(Target.parametersOf(request.url))
          const { after, brandId, ignored, pageSize, since } = query
          const wanted = brandId === null ? operator.brandIds : [brandId]
          const brandIds =
            operator.brandIds === null ? wanted : wanted!.filter((id) => operator.brandIds!.includes(id))
          const found = yield* log.list({ after, brandIds, since, limit: pageSize + 1 })
          const page = found.slice(0, pageSize)
          const names = new Map((yield* tokens.list).map(({ id, name }) => [id, name]))
          return {
            data: page.map((entry) =>
              auditEntryView(entry, entry.actor.type === "token" ? (names.get(entry.actor.id) ?? null) : null)
            ),
            meta: {
              nextCursor: found.length > pageSize ? AuditQueries.cursorOf(page.at(-1)!) : null,
              ...warningsView(warningsOf(ignored))
            }
          }
        })
    }
  )
}
