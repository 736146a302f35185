/**
 * The indexes of texts are joined by the store, a little every few commits, and no longer by themselves, much at a time; what they
 * have not joined yet is joined now, which takes some 7 s a million leads.
 */
import { type Asking, tellAll } from "../Asking.ts"

const tables = ["lead_text", "lead_gram"]

/** Makes one segment of each index: after many entries were made at once. */
export const joinTexts: ReadonlyArray<string> = tables.map(
  (table) => `INSERT INTO ${table} (${table}) VALUES ('optimize')`
)

const statements = [
  ...tables.map((table) => `INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 0)`),
  ...joinTexts
]

export const joinedTexts = (): Asking<void> => tellAll(statements)
