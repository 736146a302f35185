/** The suite itself: stores that are broken in one way each fail it, and the message says in which. */
import {
  KeyStore,
  LeadStore,
  Outbox,
  type RateLimit,
  RateWindows,
  RenderedLeads,
  type RenderedPage,
  storePorts,
  WebhookStore
} from "@lead-signals/domain"
import { contractCases, ContractViolation, type Stores } from "@lead-signals/store-contract"
import * as MemoryStore from "@lead-signals/store-memory"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { readFileSync } from "node:fs"
import { isThorough } from "../harness/Thoroughness.ts"
import { describe, expect, it } from "vitest"
import { repositorySources, titlesOf } from "../../scripts/specification.mjs"

type Altered = (context: Context.Context<Stores>) => Context.Context<Stores>

/** The store in memory with one port put in the place of its own. */
const altered =
  <Port extends LeadStore | Outbox | KeyStore | RateWindows | WebhookStore, Service>(
    port: Context.Tag<Port, Service>,
    alter: (own: Service) => Service
  ): Altered =>
  (context) =>
    Context.add(context, port, alter(Context.unsafeGet(context, port))) as Context.Context<Stores>

/** Others are let in between what must be one transaction. */
const steppingApart = (): Altered =>
  altered(RateWindows, () => {
    const windows = new Map<string, RateLimit.RateWindow>()
    return RateWindows.of({
      step: (keyId, step) =>
        Effect.gen(function* () {
          const before = windows.get(keyId) ?? null
          yield* Effect.yieldNow()
          const { decision, window } = step(before, yield* Clock.currentTimeMillis)
          windows.set(keyId, window)
          return decision
        })
    })
  })

interface Broken {
  readonly name: string
  readonly alter: Altered
  /** The title of the case that finds it. */
  readonly title: string
  readonly message: RegExp
}

const broken: ReadonlyArray<Broken> = [
  {
    name: "counts one lead too many",
    alter: altered(LeadStore, (own) => ({
      ...own,
      list: (brandId, query) =>
        Effect.map(own.list(brandId, query), (page) => ({ ...page, total: page.total + 1 }))
    })),
    title: "answers as the reference does",
    message:
      /^LeadStore\.list for GET \/signals\/leads\?\S+: meta\.pagination\.\w+ is \d+ instead of \d+\nafter this history, the smallest that shows it:\n {2}1\. /
  },
  {
    name: "commits a batch in pieces",
    alter: altered(LeadStore, (own) => ({
      ...own,
      commit: (brandId, proposals, ids) =>
        Effect.map(
          Effect.forEach(proposals, (proposal) => own.commit(brandId, [proposal], ids)),
          (committed) => committed.flat()
        )
    })),
    title: "commits all of a batch or nothing",
    message: /^LeadStore\.commit, what is kept after a batch that failed: name is "New" instead of "H"$/
  },
  {
    name: "forgets who was erased",
    alter: altered(LeadStore, (own) => ({
      ...own,
      erase: (brandId, id, _hash, ids) => own.erase(brandId, id, "another", ids)
    })),
    title: "answers as the reference does",
    message:
      /^LeadStore\.commit, outcome of engagement e\d+ of p\d: outcome is "recorded" instead of "suppressed"\n[^]*erase/
  },
  {
    name: "keeps the pages of all brands as one brand's",
    alter: altered(LeadStore, (own) => {
      const kept = new Map<string, RenderedPage>()
      return {
        ...own,
        listRendered: (brandId, query) =>
          Effect.map(own.list(brandId, query), (page) => {
            const key = JSON.stringify(query)
            if (!kept.has(key)) kept.set(key, RenderedLeads.ofPage(page, query.engagements))
            return kept.get(key)!
          })
      }
    }),
    title: "shows each brand its own leads",
    message:
      /^LeadStore\.listRendered of a brand, after the same of another, for \[\]: total is 2 instead of 3$/
  },
  {
    name: "keeps the details of all brands as one brand's",
    alter: altered(LeadStore, (own) => {
      const kept = new Map<number, string>()
      return {
        ...own,
        getRendered: (brandId, id, engagements) =>
          Effect.map(own.get(brandId, id, engagements), (found) => {
            if (Option.isSome(found)) kept.set(id, RenderedLeads.ofLead(found.value, engagements))
            return Option.fromNullable(kept.get(id))
          })
      }
    }),
    title: "shows each brand its own leads",
    message: /^LeadStore\.getRendered of another brand's lead: it is true instead of false$/
  },
  {
    name: "takes signals of other brands",
    alter: altered(LeadStore, (own) => ({
      ...own,
      commit: (brandId, proposals, ids) =>
        own.commit(
          brandId,
          proposals.map((proposal) => ({
            ...proposal,
            decide: (known, now) => proposal.decide({ ...known, signalExists: true }, now)
          })),
          ids
        )
    })),
    title: "records no observation of another brand's signal",
    message: /^LeadStore\.commit of another brand's signal: outcome is "recorded" instead of "rejected"$/
  },
  {
    name: "loses updates of two writers",
    alter: altered(LeadStore, (own) => ({
      ...own,
      update: (brandId, id, change) =>
        Effect.gen(function* () {
          const before = yield* own.get(brandId, id, "none")
          yield* Effect.yieldNow()
          return yield* own.update(brandId, id, (lead, now) =>
            before._tag === "Some" ? change(before.value.lead, now) : lead
          )
        })
    })),
    title: "lets no two writers lose each other's change",
    message: /^LeadStore, after 20 commits and 20 updates of one lead at once: \w+ is \d+ instead of \d+/
  },
  {
    name: "leases for another time than requested",
    alter: altered(Outbox, (own) => ({
      ...own,
      lease: (request) => own.lease({ ...request, leaseMillis: request.leaseMillis * 2 })
    })),
    title: "shows after every step",
    message: /^Outbox\.lease of [^:]+: until is \d+ instead of \d+\n/
  },
  {
    name: "revokes keys of other brands",
    alter: altered(KeyStore, (own) => ({
      ...own,
      revoke: (brandId, keyId, now) => Effect.as(own.revoke(brandId, keyId, now), true)
    })),
    title: "keeps several keys of a brand",
    message: /^KeyStore\.revoke of another brand's key: it is true instead of false$/
  },
  {
    name: "steps rate windows apart",
    alter: steppingApart(),
    title: "steps each key's rate window alone",
    message: /^RateWindows\.step, allowed of 25 requests at once with a limit of 10: it is 25 instead of 10$/
  },
  {
    name: "forgets everything when it is closed",
    alter: (context) => context,
    title: "keeps brands, keys, signals, campaigns and webhooks",
    message: /opened again: brands has 0 instead of 2; the first missing is \{/
  }
]

const casesOf = (alter: Altered) =>
  contractCases({
    name: "broken",
    layer: () => Layer.map(MemoryStore.layer, alter),
    survivesReopening: true,
    leadHistories: 40,
    deliveryHistories: 20,
    seed: 1
  })

describe("the contract's suite", () => {
  it.each(broken.filter((_, i) => isThorough || i % 3 === 0))(
    "fails a store that $name, and says so",
    async ({ alter, message, title }) => {
      const found = casesOf(alter).filter((each) => each.title.startsWith(title))
      expect(found).toHaveLength(1)
      const failure: unknown = await found[0]!.run().then(
        () => null,
        (rejected: unknown) => rejected
      )
      expect(failure).toBeInstanceOf(ContractViolation)
      expect((failure as ContractViolation).message).toMatch(message)
    }
  )

  it("leaves no webhook of a failing history behind, whose deliveries would be the failure of smaller ones", async () => {
    const { alter, title } = broken[0]!
    const left = new Set<string>()
    const watched = altered(WebhookStore, (own) => ({
      ...own,
      create: (webhook) => Effect.tap(own.create(webhook), ({ id }) => left.add(id)),
      delete: (brandId, id) => Effect.tap(own.delete(brandId, id), () => left.delete(id))
    }))
    const failing = casesOf((context) => watched(alter(context))).find((each) =>
      each.title.startsWith(title)
    )!
    await expect(failing.run()).rejects.toThrow(ContractViolation)
    expect(left).toEqual(new Set())
  })

  it("repeats a history by the seed and the path of its failure", async () => {
    const { alter, message, title } = broken[0]!
    const failing = casesOf(alter).find((each) => each.title.startsWith(title))!
    const first = await failing.run().catch(({ message: report }: ContractViolation) => report)
    const [, seed, path] = /\{ seed: (-?\d+), path: "(\d+)" \}$/.exec(String(first))!
    const again = contractCases({
      name: "broken",
      layer: () => Layer.map(MemoryStore.layer, alter),
      leadHistories: 1,
      seed: Number(seed),
      path: path!
    }).find((each) => each.title.startsWith(title))!
    await expect(again.run()).rejects.toThrow(message)
  })

  it("is run by the guide as by the example", () => {
    const guide = readFileSync(new URL("../../docs/write-a-store.md", import.meta.url), "utf8")
    const example = readFileSync(
      new URL("../../examples/own-store/src/contract.test.ts", import.meta.url),
      "utf8"
    )
    const [, rendered] = /^```ts contract\n([^]*?)^```/m.exec(guide)!
    expect(rendered!).toBe(example)
  })

  it("is for as many methods as the guide counts", () => {
    const guide = readFileSync(new URL("../../docs/write-a-store.md", import.meta.url), "utf8")
    const counts = Object.values(storePorts).map(({ operations }) => Object.keys(operations).length)
    const [, required, max] =
      /has (\d+) methods and two optional ones, and no port has more than (\w+)\./.exec(guide)!
    expect(Number(required) + 2).toBe(counts.reduce((sum, count) => sum + count))
    expect(max).toBe(
      "zero one two three four five six seven eight nine ten eleven twelve".split(" ")[Math.max(...counts)]
    )
  })

  it("has the titles by which the specification links to it", () => {
    const cases = repositorySources().filter(({ path }) =>
      path.startsWith("packages/store-contract/src/cases/")
    )
    const titles = casesOf((context) => context).map(({ title }) => title)
    expect(cases.flatMap(titlesOf).sort()).toEqual(titles.sort())
    expect(titles.filter((title) => !/ \[[A-Z]+-\d+(?:, [A-Z]+-\d+)*\]$/.test(title))).toEqual([])
  })
})
