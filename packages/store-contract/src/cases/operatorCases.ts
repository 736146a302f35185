/** What every store must do with operators' tokens and the audit log. */
import {
  AccessTokens,
  AccessTokenStore,
  type AuditEntry,
  AuditLog,
  type AuditQuery,
  Brands,
  KeyFormat,
  Keys,
  KeyStore,
  minuteOf
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

const whole = { name: "T", scopes: ["read"], brandIds: null, expiresAt: null } as const

/** The id of the token that a call with the value would act by; null when it is refused. */
const acting = (value: string) => Effect.map(AccessTokens.authenticate(value), (token) => token?.id ?? null)

type Appended = Omit<AuditEntry, "id">

const entry = (of: Partial<Appended> = {}): Appended => ({
  at: 1000,
  actor: { type: "token", id: "7" },
  viaSession: false,
  operation: "operator.createKey",
  brandId: "2",
  subjectId: null,
  status: null,
  ...of
})

const all: AuditQuery = { brandIds: null, since: null, after: null, limit: 100 }

const tokensAreKept: Case = {
  title:
    "keeps tokens, limited keys and the audit log when it is closed and opened again [STORE-2, OPER-11, AUD-1]",
  reopens: true,
  run: async (open) => {
    const everything = Effect.gen(function* () {
      const [tokens, log, keys] = yield* Effect.all([AccessTokenStore, AuditLog, KeyStore])
      return { tokens: yield* tokens.list, entries: yield* log.list(all), keys: yield* keys.list("1") }
    })
    const [value, before] = await open.run(
      Effect.gen(function* () {
        const log = yield* AuditLog
        const brand = yield* Brands.create("A")
        const { value } = yield* AccessTokens.create({ ...whole, brandIds: [brand.id], expiresAt: 9e12 })
        yield* AccessTokens.revoke((yield* AccessTokens.create(whole)).token.id)
        yield* Keys.create(brand.id, {
          label: "limited",
          requestsPerMinute: 7,
          scopes: ["metrics"],
          expiresAt: 9e12,
          allowedAddresses: ["192.0.2.0/24"]
        })
        yield* log.complete(yield* log.append(entry()), { status: 201, subjectId: "3" })
        return [value, yield* everything] as const
      })
    )
    await open.reopen()
    assertEqual("The ports of operators after the store was opened again", await open.run(everything), before)
    assertEqual(
      "AccessTokenStore.findByHash of a token that was made before",
      await open.run(acting(value)),
      "1"
    )
    const next = await open.run(Effect.flatMap(AuditLog, (log) => log.append(entry())))
    assertThat(`AuditLog.append gave the id ${next} a second time`, next === "2")
  }
}

/** Cases of operators' tokens and the audit log. */
export const operatorCases: ReadonlyArray<Case> = [
  caseOf("keeps tokens by their hash, and revokes each alone [OPER-11, OPER-12]", (clock) =>
    Effect.gen(function* () {
      const store = yield* AccessTokenStore
      const brand = yield* Brands.create("A")
      const createdAt = clock.millis
      const first = yield* AccessTokens.create({
        name: "Console",
        scopes: ["admin", "read", "read"],
        brandIds: [brand.id, brand.id],
        expiresAt: createdAt + 120_000
      })
      const second = yield* AccessTokens.create(whole)
      const kept = {
        id: "1",
        name: "Console",
        start: first.value.slice(0, KeyFormat.startLength),
        scopes: ["read", "admin"],
        brandIds: [brand.id],
        createdAt,
        expiresAt: createdAt + 120_000,
        lastUsedAt: null,
        revokedAt: null
      }
      assertEqual("AccessTokenStore.create", first.token, kept)
      const hash = KeyFormat.hash(first.value)
      assertEqual("AccessTokenStore.findByHash", Option.getOrNull(yield* store.findByHash(hash)), kept)
      assertEqual(
        "AccessTokenStore.findByHash of no token",
        Option.getOrNull(yield* store.findByHash("x")),
        null
      )
      const both = Effect.all([acting(first.value), acting(second.value)])
      assertEqual("The tokens by which calls act", yield* both, ["1", "2"])
      const minute = minuteOf(createdAt)
      yield* store.markUsed("1", minute - 3_600_000)
      const listed = yield* store.list
      assertEqual(
        "AccessTokenStore.list",
        listed.map(({ id, lastUsedAt }) => [id, lastUsedAt]),
        [
          ["1", minute],
          ["2", minute]
        ]
      )
      assertThat("AccessTokenStore.list has a token's value", !JSON.stringify(listed).includes(first.value))
      clock.millis += 119_999
      assertEqual("The tokens by which calls act before one expires", yield* both, ["1", "2"])
      clock.millis += 1
      assertEqual("The tokens by which calls act when one has expired", yield* both, [null, "2"])
      assertEqual("AccessTokenStore.revoke", yield* store.revoke("2", clock.millis), true)
      assertEqual("AccessTokenStore.revoke again", yield* store.revoke("2", clock.millis + 1), true)
      assertEqual("AccessTokenStore.revoke of no token", yield* store.revoke("3", clock.millis), false)
      assertEqual("AccessTokenStore.revoke of no id", yield* store.revoke("2 ", clock.millis), false)
      assertEqual("The tokens by which calls act when the other is revoked", yield* both, [null, null])
      const [, revoked] = yield* store.list
      assertEqual("AccessTokenStore.list, when it was revoked", revoked!.revokedAt, clock.millis)
    })
  ),
  caseOf("keeps what limits a key [AUTH-9, AUTH-10, AUTH-11]", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const { id } = yield* Brands.create("A")
      const limits = {
        scopes: ["metrics"],
        expiresAt: 9e12,
        allowedAddresses: ["192.0.2.1", "2001:db8::/32"]
      } as const
      const { value } = yield* Keys.create(id, { label: "k", requestsPerMinute: 7, ...limits })
      yield* Keys.create(id, { label: "k", requestsPerMinute: 7 })
      const kept = (yield* store.list(id)).map(({ allowedAddresses, expiresAt, scopes }) => ({
        allowedAddresses,
        expiresAt,
        scopes
      }))
      assertEqual("KeyStore.list, what limits keys", kept, [
        limits,
        { scopes: ["leads", "metrics"], expiresAt: null, allowedAddresses: null }
      ])
      const found = Option.getOrNull(yield* store.findByHash(KeyFormat.hash(value)))
      assertEqual("KeyStore.findByHash, the addresses", found?.allowedAddresses, limits.allowedAddresses)
    })
  ),
  caseOf("lists the audit log newest first, by brand and time, page by page [AUD-1, AUD-4]", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const entries: ReadonlyArray<Appended> = [
        entry({ at: 1000, brandId: "1" }),
        entry({ at: 3000, brandId: "2", actor: { type: "environment", id: null }, status: 403 }),
        // The clock was set back.
        entry({ at: 2000, brandId: null, actor: { type: "key", id: "5" }, viaSession: true }),
        entry({ at: 3000, brandId: "1", subjectId: "wh_5f0c", status: 200 })
      ]
      for (const each of entries) yield* log.append(each)
      const stored = entries.map((each, i) => ({ ...each, id: String(i + 1) }))
      const newest = [stored[3]!, stored[1]!, stored[2]!, stored[0]!]
      assertEqual("AuditLog.list", yield* log.list(all), newest)
      const idsOf = (query: Partial<AuditQuery>) =>
        Effect.map(log.list({ ...all, ...query }), (found) => found.map(({ id }) => id).join(" "))
      assertEqual("AuditLog.list of two", yield* idsOf({ limit: 2 }), "4 2")
      assertEqual("AuditLog.list after an entry", yield* idsOf({ after: stored[1]! }), "3 1")
      assertEqual(
        "AuditLog.list after a place without an entry",
        yield* idsOf({ after: { at: 3000, id: "3" } }),
        "2 3 1"
      )
      assertEqual("AuditLog.list since a time", yield* idsOf({ since: 2000 }), "4 2 3")
      assertEqual("AuditLog.list of a brand", yield* idsOf({ brandIds: ["1"] }), "4 1")
      assertEqual(
        "AuditLog.list of two brands",
        yield* idsOf({ brandIds: ["1", "2"], since: 2000, limit: 2 }),
        "4 2"
      )
      assertEqual("AuditLog.list of no id", yield* idsOf({ brandIds: ["x"] }), "")
      assertEqual("AuditLog.list of no brand", yield* idsOf({ brandIds: [] }), "")
    })
  ),
  caseOf("completes an entry once [AUD-2]", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const id = yield* log.append(entry())
      yield* log.complete(id, { status: 201, subjectId: "9" })
      yield* log.complete(id, { status: 500, subjectId: null })
      yield* log.complete("99", { status: 200, subjectId: null })
      assertEqual("AuditLog.list after the call has ended", yield* log.list(all), [
        { ...entry({ status: 201, subjectId: "9" }), id }
      ])
    })
  ),
  caseOf("prunes the oldest entries of before an instant [AUD-5]", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      for (const at of [3000, 1000, 2000, 4000]) yield* log.append(entry({ at }))
      assertEqual("AuditLog.prune of at most two", yield* log.prune({ before: 4000, limit: 2 }), 2)
      const times = Effect.map(log.list(all), (found) => found.map(({ at }) => at))
      assertEqual("AuditLog.list after two were pruned", yield* times, [4000, 3000])
      assertEqual("AuditLog.prune", yield* log.prune({ before: 4000, limit: 2 }), 1)
      assertEqual("AuditLog.prune of nothing", yield* log.prune({ before: 4000, limit: 2 }), 0)
      assertEqual("AuditLog.append after everything older was pruned", yield* log.append(entry()), "5")
    })
  ),
  tokensAreKept
]
