/** Bugs in what credentials open: scopes, brands, addresses, and when they end; and in the audit log as it is read. */
import { type Bug, bugsIn } from "./Bug.ts"

const scenario = "access"
const operator = bugsIn("http", "CurrentOperator", "memory", scenario)
const tokens = bugsIn("domain", "AccessTokens", "memory", scenario)
const keys = bugsIn("domain", "Keys", "memory", scenario)
const addresses = bugsIn("http", "ClientAddress", "memory", scenario)
const rows = bugsIn("http", "OperatorEndpoint", "memory", scenario)
const fast = bugsIn("http", "FastPath", "memory", scenario)
const audit = bugsIn("http", "Audit", "memory", scenario)
const queries = bugsIn("domain", "AuditQueries", "memory", scenario)
const views = bugsIn("http", "Views", "memory", scenario)

/** In the checks of tokens and keys, and in reads of the audit log. */
export const inAccess: ReadonlyArray<Bug> = [
  tokens("token-expires-a-millisecond-late", "a token opens its calls at its expiresAt, too", {
    in: "authenticateHash",
    find: "$token.expiresAt <= $now",
    put: "$token.expiresAt < $now"
  }),
  tokens("revoked-token-opens", "whether a token was revoked is not looked at", {
    in: "authenticateHash",
    find: "$token === null || $token.revokedAt !== null",
    put: "$token === null"
  }),
  tokens("token-without-end", "a token never expires", {
    in: "authenticateHash",
    find: "$token.expiresAt !== null && $token.expiresAt <= $now",
    put: "false"
  }),
  tokens("scopes-of-all-tokens", "a new token has every scope but the asked ones", {
    in: "create",
    find: "$scopes.includes($scope)",
    put: "!$scopes.includes($scope)"
  }),
  keys("key-expires-a-minute-late", "a key works in the minute in which it expires", {
    in: "authenticateHash",
    find: "$key.expiresAt <= $now",
    put: "$key.expiresAt + 60_000 <= $now"
  }),
  operator("scope-not-asked", "a token with any scope may make every call", {
    in: "permit",
    find: "!$operator.scopes.includes($scope)",
    put: "$operator.scopes.length === 0"
  }),
  operator(
    "foreign-brand-forbidden",
    "a brand that a token does not reach is answered 403, so that it shows",
    {
      in: "permit",
      find: 'Effect.fail(new NotFound({ resource: "brand" }))',
      put: 'Effect.fail(new Forbidden({ reason: "brands" }))'
    }
  ),
  operator("foreign-brand-reached", "a token with brands reaches every brand", {
    in: "reaches",
    find: "$brandIds.includes($brandId)",
    put: "$brandIds.length > 0"
  }),
  operator("tokens-by-limited", "a token that is limited to brands may make calls of no brand", {
    in: "permit",
    find: "$operator.brandIds === null || $takesLimited",
    put: "$operator.brandIds === null || $takesLimited || $operator.brandIds.length > 1"
  }),
  rows("refusals-of-scope-unaudited", "a call that is refused for its scope has no entry in the audit log", {
    in: "operatorEndpoint",
    find: "$recorded(Effect.zipRight($permitted, $handle($request)))",
    put: "Effect.zipRight($permitted, $recorded($handle($request)))"
  }),
  fast("metrics-with-any-key", "a key without the scope of metrics reads them", {
    in: "makeFastPath",
    find: "!$key.scopes.includes($row.scope)",
    put: '($row.scope !== "metrics" && !$key.scopes.includes($row.scope))'
  }),
  addresses("range-a-bit-wider", "a range of addresses is a bit wider than it says", {
    in: "isWithin",
    find: "$address.match($network as never, $bits)",
    put: "$address.match($network as never, $bits === 32 || $bits === 128 ? $bits : $bits - 1)"
  }),
  addresses("unknown-address-allowed", "a client whose address nobody knows may use a key with a list", {
    in: "isAllowed",
    find: "$client !== null && isWithin($client, $allowed)",
    put: "$client === null || isWithin($client, $allowed)"
  }),
  addresses("mapped-address-apart", "an address of IPv4 that comes as one of IPv6 is in no list", {
    in: "withoutMapping",
    find: '$address.kind() === "ipv6"',
    put: "false"
  }),
  audit("audit-of-a-named-brand", "a token reads the entries of any brand that it names", {
    in: "audit",
    find: "$operator.brandIds === null ? $wanted : $filtered",
    put: "$wanted"
  }),
  audit("audit-page-without-next", "the last page but one of the audit log has no cursor", {
    in: "audit",
    find: "$found.length > $pageSize",
    put: "$found.length > $pageSize + 1"
  }),
  queries("audit-cursor-by-id-alone", "the cursor of the audit log loses the milliseconds", {
    in: "cursorOf",
    find: "`${$at}-${$id}`",
    put: "`${$at - ($at % 1000)}-${$id}`"
  }),
  views("audit-names-the-key", "an entry of the audit log shows the brand as its subject", {
    in: "auditEntryView",
    find: "$entry.subjectId",
    put: "($entry.subjectId ?? $entry.brandId)"
  })
]
