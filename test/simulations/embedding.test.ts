/** A team simulates what is its own: its store under our service, its whole host. */
import { LeadStore, WebhookTargets } from "@lead-signals/domain"
import { DefaultRateLimit, fetchHandler, OperatorToken, webCrypto } from "@lead-signals/http"
import { type OwnHost, verdictPage, verifyHost, verifyStore } from "@lead-signals/simulations"
import * as MemoryStore from "@lead-signals/store-memory"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Context, Effect, Layer, Logger, ManagedRuntime, Option, Random } from "effect"
import { isThorough } from "../harness/Thoroughness.ts"
import { describe, expect, it } from "vitest"

type LeadStorePort = typeof LeadStore.Service

/** A store whose lead store is changed: what a third party would have written wrong. */
const storeWith = (change: (port: LeadStorePort) => Partial<LeadStorePort>) => () => {
  const memory = new MemoryStore.Memory()
  return () =>
    Layer.map(MemoryStore.layerOver(memory), (context) => {
      const port = Context.get(context, LeadStore)
      return Context.add(context, LeadStore, { ...port, ...change(port) })
    })
}

describe("a team's own store", () => {
  it("that keeps the contract holds, kills included", () => {
    const verdict = verifyStore(
      storeWith(() => ({})),
      { scenarios: ["crash-loop", "swarm"], seeds: 2, hours: 0.2 }
    )
    expect(verdict).toMatchObject({ passed: true, runs: 4 })
    expect(verdict.passed && verdict.coverageMarks.has("the service was killed")).toBe(true)
  })

  it("is opened by each of several processes, or once by a server that they share", () => {
    const starts: Array<number> = []
    const open = () => {
      const memory = new MemoryStore.Memory()
      const run = starts.push(0) - 1
      return () => {
        starts[run]!++
        return MemoryStore.layerOver(memory)
      }
    }
    const verdict = verifyStore(open, {
      scenarios: ["several-processes", "networked-store"],
      firstSeed: 3,
      seeds: 1,
      hours: 0.03
    })
    expect(verdict).toMatchObject({ passed: true, runs: 2 })
    expect(starts).toEqual([expect.toSatisfy((n: number) => n > 1), 1])
  })

  it("that loses one engagement in a batch is found, in a counterexample of one action", () => {
    const verdict = verifyStore(
      storeWith((port) => ({
        commit: (brandId, proposals, ids) =>
          proposals.length < 3
            ? port.commit(brandId, proposals, ids)
            : Effect.map(port.commit(brandId, proposals.slice(1), ids), (committed) => [
                committed[0]!,
                ...committed
              ])
      }))
    )
    expect(verdict).toMatchObject({ passed: false, oracle: "reference" })
    if (verdict.passed) return
    expect(verdict.counterexample.plan.actions).toHaveLength(1)
    expect(verdict.rendered).toContain("seen: ")
    const page = verdictPage(verdict)
    expect(page).toContain("Broken rule: reference")
    expect(page).toContain(
      `verifyStore(open, { scenarios: [&quot;swarm&quot;], firstSeed: ${verdict.seed}, seeds: 1 })`
    )
    expect(page).toContain(`${verdict.seed} · reference, after ${verdict.runs} run`)
    expect(page).toContain('<tr class="differs">')
  })

  it("is not verified without a run", () => {
    const right = storeWith(() => ({}))
    expect(() => verifyStore(right, { seeds: 0 })).toThrow(RangeError)
    expect(() => verifyStore(right, { scenarios: [] })).toThrow(RangeError)
  })

  it.runIf(isThorough)("that shows another brand's lead is found", () => {
    const verdict = verifyStore(
      storeWith((port) => ({
        get: (brandId, id, engagements) =>
          Effect.flatMap(port.get(brandId, id, engagements), (found) =>
            Option.isSome(found) || brandId === "1" ? Effect.succeed(found) : port.get("1", id, engagements)
          )
      }))
    )
    expect(verdict).toMatchObject({ passed: false, oracle: "brands apart" })
  })
})

/** A host as a team writes one, with promises: our handlers and emitter in a runtime of its own. */
const host =
  (dropping: () => (request: Request) => boolean): OwnHost =>
  async ({ operatorToken, post }) => {
    const sender = Layer.succeed(Sender.Sender, {
      post: ({ body, headers, url }) =>
        Effect.tryPromise({
          try: () => post(url, { headers, body }),
          catch: () => new Sender.SendFailed({ error: "connection" })
        }).pipe(
          Effect.map((answer) => ({
            status: answer.status,
            retryAfter: answer.headers["retry-after"] ?? null,
            excerpt: answer.body,
            truncated: false
          }))
        )
    })
    const stores = MemoryStore.layerOver(new MemoryStore.Memory())
    const parts = Layer.mergeAll(stores, webCrypto, sender).pipe(
      Layer.provideMerge(Layer.succeed(OperatorToken, operatorToken)),
      Layer.provideMerge(Layer.succeed(DefaultRateLimit, 60)),
      Layer.provideMerge(Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) }))
    )
    // Effect's own is seeded when the process starts: jitter would differ from run to run.
    const random = Layer.setRandom(Random.make("host"))
    const quiet = Layer.merge(Logger.remove(Logger.defaultLogger), random)
    const runtime = ManagedRuntime.make(
      Layer.provideMerge(Emitter.layer({ pollMillis: 3_600_000 }), Layer.provideMerge(parts, quiet))
    )
    const handle = await runtime.runPromise(fetchHandler)
    const drop = dropping()
    return async (request) => {
      const response = await handle(request)
      return drop(request) ? new Response("oops", { status: 500 }) : response
    }
  }

describe("a team's own host", () => {
  it("that is right holds, with promises and timers of its own", async () => {
    const digests = async (): Promise<ReadonlyArray<string>> => {
      const found: Array<string> = []
      const onRun = ({ report }: { report: { digest: string } }) => void found.push(report.digest)
      const verdict = await verifyHost(
        host(() => () => false),
        { seeds: 2, hours: 0.1, onRun }
      )
      expect(verdict).toMatchObject({ passed: true, runs: 2 })
      return found
    }
    expect(await digests()).toEqual(await digests())
  })

  it.runIf(isThorough)("that answers 500 now and then is found", async () => {
    const dropping = () => {
      let n = 0
      return ({ method }: Request) => method === "PATCH" && ++n % 2 === 0
    }
    const verdict = await verifyHost(host(dropping), { seeds: 5, hours: 0.5 })
    expect(verdict).toMatchObject({ passed: false, oracle: "no defects" })
    if (!verdict.passed) expect(verdict.counterexample.plan.actions.length).toBeLessThan(8)
  })
})
