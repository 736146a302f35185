/** What every store must read of leads: pages, orders and searches of lists, and the data of one person. */
import { type Brand, Brands, Leads, LeadStore, recordObservations } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual } from "../Assertions.ts"
import { createLeadWorld, observationOf, queryOf } from "../LeadWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

/** Every sort page by page, texts in full case folding, and the posts of an export. [SORT-5, PAGE-3, LIST-4, PII-5] */
export const leadReadCases: ReadonlyArray<Case> = [
  caseOf("pages without gaps and without repeats on quiet data, under every sort [SORT-5, PAGE-3]", () =>
    Effect.gen(function* () {
      const { brand, reference } = yield* createLeadWorld
      const seen = Array.from({ length: 120 }, (_, i) => ({
        signalId: reference.signals[0]!.id,
        person: { extId: `x${i}`, name: ["Same", "same", "Other"][i % 3] },
        engagement: { id: `x${i}` }
      }))
      yield* recordObservations(brand, seen)
      for (const field of ["createdAt", "updatedAt", "score1", "name"]) {
        for (const direction of ["asc", "desc"]) {
          const sort = `${field}:${direction}`
          const ids: Array<number> = []
          for (let page = 1; page <= 19; page++) {
            const query = queryOf(["sort", sort], ["page", String(page)], ["pageSize", "7"])
            const found = yield* Leads.list(brand.id, query)
            assertEqual(`LeadStore.list, total of page ${page} under ${sort}`, found.total, 120)
            ids.push(...found.leads.map(({ lead }) => lead.id))
          }
          assertEqual(
            `LeadStore.list, leads and different leads on all pages under ${sort}`,
            [ids.length, new Set(ids).size],
            [120, 120]
          )
        }
      }
    })
  ),

  caseOf(
    "orders few leads of one instant among many by their ids, whatever flags they have [SORT-5, LIST-3]",
    () =>
      Effect.gen(function* () {
        const world = yield* createLeadWorld
        const { brand } = world
        const seen = Array.from({ length: 100 }, (_, i) => observationOf(world, `i${i}`, `i${i}`))
        const outcomes = yield* recordObservations(brand, seen)
        const ids = [90, 30, 60, 40, 70].map((i) => outcomes[i]!.leadId!)
        for (const [i, id] of ids.entries())
          yield* Leads.amend(brand.id, id, { qualified: true, exported: i % 2 === 0, isEmployee: i > 2 })
        const inOrder = ids.toSorted((a, b) => a - b)
        for (const direction of ["asc", "desc"]) {
          const found: Array<number> = []
          for (let page = 1; page <= ids.length; page++) {
            const sort = ["sort", `createdAt:${direction}`] as const
            const query = queryOf(["qualified", "true"], sort, ["page", String(page)], ["pageSize", "1"])
            found.push(...(yield* Leads.list(brand.id, query)).leads.map(({ lead }) => lead.id))
          }
          assertEqual(`LeadStore.list, leads of one instant, ${direction}`, found, inOrder)
        }
      })
  ),

  caseOf(
    "finds leads of one instant in the order of their ids behind newer ones that a search passes over [SORT-5, LIST-4]",
    (clock) =>
      Effect.gen(function* () {
        const { brand, reference } = yield* createLeadWorld
        const observe = (names: ReadonlyArray<string>) =>
          recordObservations(
            brand,
            names.map((name) => ({
              signalId: reference.signals[0]!.id,
              person: { extId: name, name },
              engagement: { id: name }
            }))
          )
        const outcomes = yield* observe(Array.from({ length: 10 }, (_, i) => `Wanted ${i}`))
        for (const name of ["Other 1", "Other 2"]) {
          clock.millis += 1000
          yield* observe([name])
        }
        const ids = outcomes.map(({ leadId }) => leadId!).toSorted((a, b) => a - b)
        for (const field of ["createdAt", "updatedAt"]) {
          const found: Array<number> = []
          for (let page = 1; page <= ids.length; page++) {
            const sort = ["sort", `${field}:desc`] as const
            const query = queryOf(["search", "wanted"], sort, ["page", String(page)], ["pageSize", "1"])
            found.push(...(yield* Leads.list(brand.id, query)).leads.map(({ lead }) => lead.id))
          }
          assertEqual(`LeadStore.list, leads that a search finds under ${field}:desc`, found, ids)
        }
      })
  ),

  caseOf("finds and sorts texts by Unicode's full case folding [LIST-4, SORT-6]", () =>
    Effect.gen(function* () {
      const { brand, reference } = yield* createLeadWorld
      const names = ["Zoë", "İstanbul Ada", "Straße 7", "Ο Σίσυφος", "straßburg"]
      yield* recordObservations(
        brand,
        names.map((name, i) => ({
          signalId: reference.signals[0]!.id,
          person: { extId: `p${i}`, name },
          engagement: { id: `e${i}` }
        }))
      )
      const listed = (...given: ReadonlyArray<readonly [string, string]>) =>
        Effect.map(Leads.list(brand.id, queryOf(...given, ["sort", "name:asc"])), ({ leads }) =>
          leads.map(({ lead }) => lead.profile.name)
        )
      const searches: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["strasse", ["Straße 7"]],
        ["STRASS", ["straßburg", "Straße 7"]],
        ["ß", ["straßburg", "Straße 7"]],
        ["istanbul", ["İstanbul Ada"]],
        ["İSTANBUL", ["İstanbul Ada"]],
        ["is", ["İstanbul Ada"]],
        ["ΣΊΣΥΦΟΣ", ["Ο Σίσυφος"]],
        ["σίσυφος", ["Ο Σίσυφος"]],
        ["ος", ["Ο Σίσυφος"]]
      ]
      for (const [search, found] of searches) {
        assertEqual(`LeadStore.list, names found by ${search}`, yield* listed(["search", search]), found)
      }
      assertEqual("LeadStore.list, names in order of name:asc", yield* listed(), [
        "İstanbul Ada",
        "straßburg",
        "Straße 7",
        "Zoë",
        "Ο Σίσυφος"
      ])
    })
  ),

  caseOf("lists the posts that a lead wrote and others engaged with, each once, for an export [PII-5]", () =>
    Effect.gen(function* () {
      const world = yield* createLeadWorld
      const { brand } = world
      const store = yield* LeadStore
      const post = (postUrl: string, author: string) => ({
        postUrl,
        postAuthor: "Ada",
        postAuthorDetail: { extId: author, name: "Ada" }
      })
      const of = (extId: string, id: string, url: string, author: string) => {
        const observation = observationOf(world, extId, id)
        return { ...observation, engagement: { id, ...post(url, author) } }
      }
      const [ada] = yield* recordObservations(brand, [
        observationOf(world, "ada", "a1"),
        of("bo", "b1", "https://n.example/1", "ada"),
        of("cy", "c1", "https://n.example/1", "ada"),
        of("bo", "b2", "https://n.example/2", "ada"),
        of("bo", "b3", "https://n.example/3", "somebody")
      ])
      const other = yield* Brands.create("Other")
      const urls = (of: Brand) =>
        Effect.map(
          store.exportData(of.id, ada!.leadId!),
          Option.map(({ posts }) => posts.map(({ postUrl }) => postUrl).sort())
        )
      const what = "LeadStore.exportData, addresses of the posts"
      const both = ["https://n.example/1", "https://n.example/2"]
      assertEqual(what, Option.getOrNull(yield* urls(brand)), both)
      assertEqual(`${what} of another brand's lead`, Option.getOrNull(yield* urls(other)), null)
      yield* Leads.erase(brand, ada!.leadId!)
      assertEqual(`${what} of an erased lead`, Option.getOrNull(yield* urls(brand)), null)
    })
  )
]
