/** `lead-signals operators …` and `audit`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { operatorScopes } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { group, leaf, usage } from "@lead-signals/command-line"
import {
  brandOption,
  calling,
  listAt,
  listing,
  listingOptions,
  keyedOptions,
  operatorOptions,
  printResource
} from "./OperatorCommand.ts"
import type { Columns } from "./Output.ts"

const tokens = "/operator/tokens"

/** The texts of a list, without the spaces around them. */
export const listed = (text: string): ReadonlyArray<string> => text.split(",").map((each) => each.trim())

/** The option of a key or token that expires. The server reads the time, in any form that filters take. */
export const expires = Options.text("expires").pipe(
  Options.withDescription("From when on it is refused, like 2027-01-31 [never]"),
  Options.optional
)

const name = Args.text({ name: "NAME" }).pipe(Args.withDescription("Who or what uses the token"))
const scopes = Options.text("scopes").pipe(
  Options.withDescription(`What the token may do, separated by commas, of ${operatorScopes.join(", ")}`)
)
const brands = Options.text("brands").pipe(
  Options.withDescription("Ids of the brands that it reaches, separated by commas [all]"),
  Options.optional
)
const tokenId = Args.text({ name: "TOKEN-ID" }).pipe(
  Args.withDescription("Id of the token; `operators list` shows it")
)

const orAll = (brandIds: ReadonlyArray<string> | null): ReadonlyArray<string> | string => brandIds ?? "all"

/** `lead-signals operators`. A created token is printed once. [OPER-11] */
export const operatorsCommand = group(
  "operators",
  {
    summary: "Lists, creates and revokes tokens of operators",
    details: [
      "The token in LEAD_SIGNALS_OPERATOR_TOKEN of the server is not among them, and can do everything."
    ],
    examples: [
      ["lead-signals operators create collector --scopes ingest --brands 2", ""],
      ["lead-signals operators revoke 3", ""]
    ]
  },
  [
    listAt(tokens, "Lists the tokens, without their values", {
      id: ({ id }) => id,
      name: ({ name }) => name,
      "starts with": ({ start }) => start,
      scopes: ({ scopes }) => scopes,
      brands: ({ brandIds }) => orAll(brandIds),
      expires: ({ expiresAt }) => expiresAt,
      "last used": ({ lastUsedAt }) => lastUsedAt,
      revoked: ({ revokedAt }) => revokedAt
    }),
    leaf(
      "create",
      {
        summary: "Creates a token",
        details: ["The token is printed only now: the server keeps nothing but its hash."]
      },
      { name, scopes, brands, expires, ...keyedOptions },
      calling((call, given) => {
        const brandIds = Option.getOrUndefined(Option.map(given.brands, listed))
        const expiresAt = Option.getOrUndefined(given.expires)
        return Effect.map(
          call("POST", tokens, {
            name: given.name,
            scopes: listed(given.scopes),
            ...(brandIds === undefined ? {} : { brandIds }),
            ...(expiresAt === undefined ? {} : { expiresAt })
          }),
          printResource(({ id, token }) => `Token ${id}: ${token}`)
        )
      })
    ),
    leaf(
      "revoke",
      { summary: "Revokes a token, at once and for good" },
      { tokenId, ...operatorOptions },
      calling((call, given) =>
        Effect.as(call("DELETE", `${tokens}/${encodeURIComponent(given.tokenId)}`), {
          value: { id: given.tokenId, revoked: true },
          text: `Token ${given.tokenId} is revoked.`
        })
      )
    )
  ]
)

const columns: Columns = {
  at: ({ at }) => at,
  who: ({ actor }) => (actor.id === null ? actor.type : `${actor.type} ${actor.id}`),
  name: ({ actor }) => actor.name,
  session: ({ viaSession }) => (viaSession ? "yes" : "no"),
  operation: ({ operation }) => operation,
  brand: ({ brandId }) => brandId,
  subject: ({ subjectId }) => subjectId,
  status: ({ status }) => status
}

const pageSize = 100

const since = Options.text("since").pipe(
  Options.withDescription("Entries at this time or later, like 2026-01-31"),
  Options.optional
)
const limit = Options.integer("limit").pipe(
  Options.withDescription("How many entries at most [100]"),
  Options.withDefault(pageSize)
)

/** `lead-signals audit`. Brands and subjects are ids: entries hold no names but those of tokens. [AUD-4] */
export const auditCommand = leaf(
  "audit",
  {
    summary: "Shows who did what, newest first",
    examples: [["lead-signals audit --brand 2 --since 2026-01-31", ""]]
  },
  {
    brand: Options.optional(brandOption("Entries of this brand alone, by its id")),
    since,
    limit,
    ...listingOptions
  },
  listing((call, given) =>
    Effect.gen(function* () {
      if (given.limit < 1) return yield* usage("--limit takes an integer of at least 1.")
      const query = new URLSearchParams({ pageSize: String(Math.min(pageSize, given.limit)) })
      if (Option.isSome(given.brand)) query.set("brandId", given.brand.value)
      if (Option.isSome(given.since)) query.set("since", given.since.value)
      const entries: Array<any> = []
      for (;;) {
        const { data, meta } = yield* call("GET", `/operator/audit?${query}`)
        entries.push(...data)
        if (meta.nextCursor === null || entries.length >= given.limit) break
        query.set("cursor", meta.nextCursor)
      }
      const items = entries.slice(0, given.limit)
      return { value: items, items, columns }
    })
  )
)
