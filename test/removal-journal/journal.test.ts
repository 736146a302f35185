/** The file of removals, and what a restore finds in the files of several nodes. */
import {
  findLacking,
  type JournalHeader,
  JournalFile,
  type LackingOptions,
  readJournalFile,
  type Removal,
  removalKinds
} from "@lead-signals/removal-journal"
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const header: JournalHeader = { databaseId: "ab".repeat(16), dropped: 0, beganAt: 1000 }

const removal = (position: number, subject = `hash${position}`): Removal => ({
  position,
  at: 2000 + position,
  kind: removalKinds[position % removalKinds.length]!,
  brandId: position % 3 === 0 ? null : position,
  subject
})

const removals = (from: number, to: number): ReadonlyArray<Removal> =>
  Array.from({ length: to - from + 1 }, (_, i) => removal(from + i))

/** The path of a journal with the removals up to a position. */
const journalOf = (upTo: number, { dropped = 0, databaseId = header.databaseId } = {}): string => {
  const file = join(temporaryFolder(), "removals")
  new JournalFile(file, { synced: false }).rewrite(
    { ...header, databaseId, dropped },
    removals(dropped + 1, upTo)
  )
  return file
}

const found = (files: ReadonlyArray<string>, copied: number, options: Partial<LackingOptions> = {}) =>
  findLacking({
    database: { header, newest: copied, removals: removals(1, copied) },
    journals: files.map((file) => readJournalFile(file)!),
    acceptIncomplete: false,
    ...options
  })

const positions = ({ removals }: { readonly removals: ReadonlyArray<Removal> }) =>
  removals.map(({ position }) => position)

const whyNot = (work: () => unknown): string => {
  try {
    work()
  } catch (refused) {
    return (refused as { reason: string }).reason
  }
  return "found"
}

describe("the file", () => {
  it("has what was appended, also by another process, and says where it ends [REST-1]", () => {
    const file = journalOf(2)
    const [one, other] = [new JournalFile(file, { synced: true }), new JournalFile(file, { synced: true })]
    expect(one.end()).toMatchObject({ databaseId: header.databaseId, dropped: 0, last: 2 })
    one.append(removals(3, 4))
    expect(other.end()?.last).toBe(4)
    other.append(removals(5, 5))
    expect(one.end()?.last).toBe(5)
    expect(one.read()).toMatchObject({ header, removals: removals(1, 5), state: "whole" })
  })

  it("goes on over a line that a kill has cut short, at whatever byte [REST-1, REST-2]", () => {
    const file = journalOf(3)
    const whole = readFileSync(file)
    const lastLine = whole.lastIndexOf("\n", whole.length - 2) + 1
    for (let bytes = lastLine; bytes < whole.length; bytes++) {
      writeFileSync(file, whole)
      truncateSync(file, bytes)
      const journal = new JournalFile(file, { synced: false })
      expect([bytes, journal.read()!.state, journal.end()!.last]).toEqual([
        bytes,
        bytes === lastLine ? "whole" : "cut",
        2
      ])
      journal.append(removals(3, 4))
      expect(journal.read()).toMatchObject({ removals: removals(1, 4), state: "whole" })
    }
  })

  it("is damaged by any changed byte, has no end then, and is kept aside when it is written anew [REST-2]", () => {
    const file = journalOf(3)
    const whole = readFileSync(file)
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      writeFileSync(file, changed)
      const read = new JournalFile(file, { synced: false }).read()
      expect([at, read === null || read.state !== "whole" || read.removals.length < 3]).toEqual([at, true])
    }
    writeFileSync(file, Buffer.from(whole).fill("x", 10, 12))
    const journal = new JournalFile(file, { synced: false })
    expect(journal.end()).toBeNull()
    journal.rewrite(header, removals(1, 3))
    expect(readFileSync(file)).toEqual(whole)
    expect(existsSync(`${file}.damaged`)).toBe(true)
  })

  it("that can't be written or read says so, and has lost nothing when it can again [REST-2]", () => {
    const file = join(temporaryFolder(), "missing", "removals")
    const journal = new JournalFile(file, { synced: true })
    expect(journal.end()).toBeNull()
    expect(whyNot(() => journal.rewrite(header, []))).toContain("could not be written to the journal")
  })
})

describe("what a database that was restored lacks", () => {
  it("is what any of its nodes' journals has and it has not [REST-3]", () => {
    expect(positions(found([journalOf(9)], 4))).toEqual([5, 6, 7, 8, 9])
    expect(positions(found([journalOf(6), journalOf(9), journalOf(2)], 4))).toEqual([5, 6, 7, 8, 9])
    expect(positions(found([journalOf(4)], 4))).toEqual([])
    // One dropped the oldest, the other ends early: together they have all.
    expect(positions(found([journalOf(9, { dropped: 6 }), journalOf(7)], 4))).toEqual([5, 6, 7, 8, 9])
  })

  it("is that, too, where a node has served it and numbered other removals [REST-3]", () => {
    const database = {
      header,
      newest: 7,
      removals: [...removals(1, 4), removal(5, "another"), { ...removal(5), position: 6 }, removal(7, "more")]
    }
    expect(positions(found([journalOf(9)], 7, { database }))).toEqual([6, 7, 8, 9])
  })

  it("is nothing of what the database has dropped, which was there in its backups [REST-3]", () => {
    const database = { header: { ...header, dropped: 3 }, newest: 5, removals: removals(4, 5) }
    expect(positions(found([journalOf(7)], 5, { database }))).toEqual([6, 7])
  })

  it("is read up to half a line at the end of a journal [REST-3]", () => {
    const file = journalOf(6)
    appendFileSync(file, "7 2007 key")
    expect(positions(found([file], 4))).toEqual([5, 6])
  })

  it("is refused where removals may be missing, and says what to do [REST-3]", () => {
    const foreign = journalOf(9, { databaseId: "cd".repeat(16) })
    expect(whyNot(() => found([], 4))).toBe("there is no journal of removals there")
    expect(whyNot(() => found([journalOf(3)], 4))).toContain("ends with removal 3, before the database was")
    expect(whyNot(() => found([journalOf(9, { dropped: 6 })], 4))).toContain("older than the journals reach")
    expect(whyNot(() => found([foreign], 4))).toContain("another database")
    expect(positions(found([foreign, journalOf(5)], 4))).toEqual([5])
    const damaged = journalOf(9)
    writeFileSync(damaged, readFileSync(damaged, "utf8").replace("\n7 ", "\n8 "))
    expect(whyNot(() => found([damaged, journalOf(9)], 4))).toContain("is damaged behind removal 6")
    const accepted = found([damaged], 4, { acceptIncomplete: true })
    expect([positions(accepted), accepted.warnings.length]).toEqual([[5, 6], 1])
  })

  it("of a database that has no name yet is all of one database's journals, with a warning [REST-3]", () => {
    const database = { header: null, newest: 0, removals: [] }
    const { databaseId, removals, warnings } = found([journalOf(3)], 0, { database })
    expect([databaseId, removals.length, warnings.length]).toEqual([header.databaseId, 3, 1])
    const foreign = journalOf(9, { databaseId: "cd".repeat(16) })
    expect(whyNot(() => found([journalOf(3), foreign], 0, { database }))).toContain("several databases")
  })
})
