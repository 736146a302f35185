/** What a client sees when the store fails, or the program does. */
import { Effect, Layer } from "effect"
import { KeyStore, LeadStore, CommitSize, StoreHealth, StoreUnavailable } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import { describe, expect, it } from "vitest"
import { operatorToken, setUpBrand, startApi } from "../harness/HttpServers.ts"

describe("failures of ours", () => {
  const broken = (failure: Effect.Effect<never, StoreUnavailable>) =>
    startApi({
      stores: Layer.effect(
        LeadStore,
        Effect.map(LeadStore, (store) =>
          LeadStore.of({ ...store, listRendered: () => failure, commit: () => failure })
        )
      ).pipe(Layer.provideMerge(MemoryStore.layer)) as typeof MemoryStore.layer
    })

  it("are 503 unavailable when the store can't answer, without saying why [ERR-2, ERR-3]", async () => {
    const own = await broken(Effect.fail(new StoreUnavailable({ reason: "the disk is full (/secret/path)" })))
    const its = await setUpBrand(own)
    for (const answer of [
      await own.call("/signals/leads", { token: its.key }),
      await own.operate("POST", `/operator/brands/${its.id}/observations`, {
        observations: [{ signalId: its.signalId, person: { extId: "a", name: "a" }, engagement: { id: "a" } }]
      }),
      await own.call(`/operator/brands/${its.id}/observations`, {
        method: "POST",
        token: operatorToken,
        headers: { "content-type": "application/x-ndjson" },
        body: JSON.stringify({
          signalId: its.signalId,
          person: { extId: "a", name: "a" },
          engagement: { id: "a" }
        })
      })
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([503, "unavailable"])
      expect(answer.text).not.toContain("secret")
      const id = answer.headers.get("x-request-id")!
      expect(
        own.log.some(
          (line) => line.includes("store unavailable") && line.includes("disk is full") && line.includes(id)
        )
      ).toBe(true)
    }
  })

  it("are 500 internal_error on a defect, whose message nobody sees [ERR-2, ERR-3, PII-2]", async () => {
    // A line of it looks like one of the stack.
    const own = await broken(Effect.die(new Error("choked on Personal Name\n    at Personal Name's place")))
    const its = await setUpBrand(own)
    const answer = await own.call("/signals/leads", { token: its.key })
    expect([answer.status, answer.body.error.code]).toEqual([500, "internal_error"])
    expect(answer.headers.get("x-ratelimit-remaining")).toBeTruthy()
    expect(answer.text + own.log.join("\n")).not.toContain("Personal Name")
    expect(
      own.log.some(
        (line) =>
          line.includes("internal error") &&
          line.includes("outages.test.ts") &&
          line.includes(answer.headers.get("x-request-id")!)
      )
    ).toBe(true)
  })

  it("are the last line of an answer that has begun, and in the log [OBS-8, ERR-3]", async () => {
    let commits = 0
    const own = await startApi({
      stores: Layer.effect(
        LeadStore,
        Effect.map(LeadStore, (store) =>
          LeadStore.of({
            ...store,
            commit: (brandId, proposals, ids) =>
              ++commits > 2
                ? Effect.fail(new StoreUnavailable({ reason: "full" }))
                : store.commit(brandId, proposals, ids)
          })
        )
      ).pipe(Layer.provideMerge(MemoryStore.layer)) as typeof MemoryStore.layer
    })
    const its = await setUpBrand(own)
    const line = (id: number): string =>
      JSON.stringify({
        signalId: its.signalId,
        person: { extId: "a", name: "a" },
        engagement: { id: `e${id}` }
      })
    const { status, text } = await own.call(`/operator/brands/${its.id}/observations`, {
      method: "POST",
      token: operatorToken,
      headers: { "content-type": "application/x-ndjson" },
      body: Array.from({ length: 400 }, (_, i) => line(i)).join("\n")
    })
    const lines = text
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each))
    expect([status, lines.length, lines.at(-1).error.code]).toEqual([
      200,
      2 * Effect.runSync(CommitSize) + 1,
      "unavailable"
    ])
    expect(own.log.some((each) => each.includes("store unavailable") && each.includes("full"))).toBe(true)
  })

  it("leave reading possible when a key's last use can't be written [AUTH-8, ERR-2]", async () => {
    const own = await startApi({
      stores: Layer.effect(
        KeyStore,
        Effect.map(KeyStore, (keys) =>
          KeyStore.of({
            ...keys,
            markUsed: () => Effect.fail(new StoreUnavailable({ reason: "full" }))
          })
        )
      ).pipe(Layer.provideMerge(MemoryStore.layer)) as typeof MemoryStore.layer
    })
    const its = await setUpBrand(own)
    expect((await own.call("/signals/leads", { token: its.key })).status).toBe(200)
  })

  it("say why nothing can be written where a client may know, and are ready for those that read [ERR-2, ERR-3, HEALTH-3]", async () => {
    const full = new StoreUnavailable({ reason: "full (/secret/path)", publicReason: "the disk is full" })
    const own = await startApi({
      stores: Layer.mergeAll(
        Layer.succeed(StoreHealth, { check: Effect.succeed({ writeProblem: "the disk is full" }) }),
        Layer.effect(
          LeadStore,
          Effect.map(LeadStore, (store) => LeadStore.of({ ...store, commit: () => Effect.fail(full) }))
        )
      ).pipe(Layer.provideMerge(MemoryStore.layer)) as typeof MemoryStore.layer
    })
    const its = await setUpBrand(own)
    const seen = { signalId: its.signalId, person: { extId: "a", name: "a" }, engagement: { id: "a" } }
    const answers = [
      await own.operate("POST", `/operator/brands/${its.id}/observations`, { observations: [seen] }),
      await own.call(`/operator/brands/${its.id}/observations`, {
        method: "POST",
        token: operatorToken,
        headers: { "content-type": "application/x-ndjson" },
        body: JSON.stringify(seen)
      })
    ]
    for (const { body, status, text } of answers) {
      expect([status, body.error.code]).toEqual([503, "unavailable"])
      expect(body.error.message).toContain("the disk is full")
      expect(text).not.toContain("secret")
    }
    const ready = await own.call("/health/ready")
    expect([ready.status, ready.body]).toEqual([
      200,
      { status: "degraded", reads: true, writes: false, reason: "the disk is full" }
    ])
  })

  it("are not ready while the store can't answer [HEALTH-2]", async () => {
    const own = await startApi({
      stores: Layer.succeed(StoreHealth, {
        check: Effect.fail(new StoreUnavailable({ reason: "gone" }))
      }).pipe(Layer.provideMerge(MemoryStore.layer)) as typeof MemoryStore.layer
    })
    expect([(await own.call("/health/ready")).status, (await own.call("/health")).status]).toEqual([503, 200])
  })
})
