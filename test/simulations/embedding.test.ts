/** A team simulates what is its own: its store under our service, its whole host. */
import { LeadStore } from "@lead-signals/domain"
import { verdictPage, verifyHost, verifyStore } from "@lead-signals/simulations"
import * as MemoryStore from "@lead-signals/store-memory"
import { Context, Effect, Layer, Option } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { bundleModule, effectOutside } from "../../scripts/bundle.mjs"
import { compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { madeOnce } from "../harness/MadeOnce.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { promiseHost } from "./PromiseHost.ts"

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
      {
        scenarios: isThorough ? ["crash-loop", "swarm"] : ["crash-loop"],
        seeds: isThorough ? 2 : 1,
        hours: 0.2
      }
    )
    expect(verdict).toMatchObject({ passed: true, runs: isThorough ? 4 : 1 })
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

  it.runIf(isThorough)(
    "that loses one engagement in a batch is found, in a counterexample of one action",
    () => {
      const verdict = verifyStore(
        storeWith((port) => ({
          commit: (brandId, proposals, ids) =>
            proposals.length < 3
              ? port.commit(brandId, proposals, ids)
              : Effect.map(port.commit(brandId, proposals.slice(1), ids), (committed) => [
                  committed[0]!,
                  ...committed
                ])
        })),
        // In this one no webhook shows first that an event is missing.
        { firstSeed: 5 }
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
    }
  )

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

describe("a team's own host", () => {
  it.runIf(isThorough)("that is right holds, with promises and timers of its own", async () => {
    const source = fileURLToPath(new URL("verifyTwice.ts", import.meta.url))
    const program = await madeOnce("verify-twice.mjs", (path) =>
      bundleModule(source, path, [effectOutside], false)
    )
    const { stdout } = await promisify(execFile)(process.execPath, [...nodeArguments, program], {
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache }
    })
    const [first, second] = JSON.parse(stdout) as ReadonlyArray<ReadonlyArray<string>>
    expect(first).toHaveLength(1)
    expect(second).toEqual(first)
  })

  it.runIf(isThorough)(
    "that is right holds where posts come late, signals are renamed and paths have dots",
    async () => {
      const verdict = await verifyHost(
        promiseHost(() => () => false),
        { seeds: 25, hours: 0.3 }
      )
      expect(verdict).toMatchObject({ passed: true, runs: 25 })
    }
  )

  it.runIf(isThorough)("that answers 500 now and then is found", async () => {
    const dropping = () => {
      let n = 0
      return ({ method }: Request) => method === "PATCH" && ++n % 2 === 0
    }
    const verdict = await verifyHost(promiseHost(dropping), { seeds: 5, hours: 0.5 })
    expect(verdict).toMatchObject({ passed: false, oracle: "no defects" })
    if (!verdict.passed) expect(verdict.counterexample.plan.actions.length).toBeLessThan(8)
  })
})
