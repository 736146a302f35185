/** What every store with a journal of removals does with it, over the history of `RemovedHistory.ts`. */
import { type Entropy, Keys, Leads, StoreHealth, type StorePorts } from "@lead-signals/domain"
import { Effect } from "effect"
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { expect } from "vitest"
import type { before } from "./RemovedHistory.ts"

/** A store that is open while work runs over it. */
export interface JournaledStore {
  readonly known: Effect.Effect.Success<typeof before>
  /** The path of the journal. */
  readonly journal: string
  /** Opens the store, runs the work, and closes the store. */
  readonly on: <A, E>(work: Effect.Effect<A, E, StorePorts | Entropy>) => Promise<A>
}

/** The lines of a journal, without the first, each without its checksum. */
export const entriesOf = (journal: string): ReadonlyArray<string> =>
  readFileSync(journal, "utf8")
    .split("\n")
    .slice(1, -1)
    .map((line) => line.slice(0, line.lastIndexOf(" ")))

/** It has each removal when its call ends, and no personal data; `ofDeletion` are the kinds of the deleted brand, in the store's order. */
export const expectEachRemoval = async (
  { journal, known, on }: JournaledStore,
  ofDeletion: ReadonlyArray<string>
): Promise<void> => {
  const kinds = entriesOf(journal).map((line) => line.split(" ").slice(2, 4).join(" "))
  const [mine, gone] = [known.mine.brand.id, known.gone.brand.id]
  expect(kinds).toEqual([
    `person ${mine}`,
    `person ${mine}`,
    `key ${mine}`,
    "token -",
    `signal ${mine}`,
    `campaign ${mine}`,
    `webhook ${mine}`,
    ...ofDeletion.map((kind) => `${kind} ${gone}`)
  ])
  const text = readFileSync(journal, "utf8")
  const personal = [
    "ylva",
    "author",
    "Name",
    "Zebrafinch",
    "receiver",
    known.mine.key.value,
    known.token.value
  ]
  for (const each of personal) expect(text.slice(text.indexOf("\n"))).not.toContain(each)
  expect(statSync(journal).mode & 0o077).toBe(0)
  // Each is there when its call ends, not when the store closes.
  await on(
    Effect.gen(function* () {
      const { brand, key, leads } = known.others
      yield* Leads.erase(brand, leads[1]!)
      expect(entriesOf(journal).at(-1)).toContain(` person ${brand.id} `)
      yield* Keys.revoke(brand.id, key.key.id)
      yield* Keys.revoke(brand.id, key.key.id)
      expect(entriesOf(journal).length).toBe(kinds.length + 2)
    })
  )
}

/** It is made good at the next start; what was damaged is kept beside it. */
export const expectMadeGood = async ({ journal, on }: JournaledStore): Promise<void> => {
  const whole = readFileSync(journal, "utf8")
  const reopened = async () => {
    await on(Effect.void)
    return readFileSync(journal, "utf8")
  }
  // A kill between the commit and the journal, or within a line of it.
  for (const cut of [1, 40, 200]) {
    writeFileSync(journal, whole.slice(0, -cut))
    expect(await reopened()).toBe(whole)
  }
  rmSync(journal)
  expect(await reopened()).toBe(whole)
  expect(() => statSync(`${journal}.damaged`)).toThrow("ENOENT")
  const damaged = whole.replace("person", "Person")
  writeFileSync(journal, damaged)
  expect(await reopened()).toBe(whole)
  expect(readFileSync(`${journal}.damaged`, "utf8")).toBe(damaged)
}

/** While it can't be written removals are done, and say so; it gets them as soon as it can be written. */
export const expectLateEntries = ({ journal, known, on }: JournaledStore): Promise<void> =>
  on(
    Effect.gen(function* () {
      const { brand, key, leads } = known.others
      const { check } = yield* StoreHealth
      expect(yield* check).toEqual({ writeProblem: null, journalProblem: null })
      const count = entriesOf(journal).length
      rmSync(journal)
      mkdirSync(journal)
      const refused = yield* Effect.flip(Leads.erase(brand, leads[0]!))
      expect(refused).toMatchObject({
        publicReason: expect.stringContaining("the removal is done, and could not be written to the journal")
      })
      // It is done; and so is the next.
      expect((yield* Effect.flip(Leads.erase(brand, leads[0]!)))._tag).toBe("@lead-signals/domain/NotFound")
      expect((yield* Effect.either(Keys.revoke(brand.id, key.key.id)))._tag).toBe("Left")
      const problem = expect.stringContaining("the journal of removals")
      expect(yield* check).toEqual({ writeProblem: problem, journalProblem: problem })
      rmSync(journal, { recursive: true })
      while ((yield* check).writeProblem !== null) yield* Effect.sleep("20 millis")
      expect((yield* check).journalProblem).toBeNull()
      expect(entriesOf(journal).length).toBe(count + 2)
    })
  )
