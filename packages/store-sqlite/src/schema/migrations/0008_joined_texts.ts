/**
 * The indexes of texts are joined by the store, a little every few commits, and no longer by themselves, much at a time; what they
 * have not joined yet is joined now, which takes some 7 s a million leads.
 */

const tables = ["lead_text", "lead_gram"]

/** Turns FTS5's own merges off in both search indexes, and merges each into one segment. */
export const joinedTexts: ReadonlyArray<string> = [
  ...tables.map((table) => `INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 0)`),
  // Makes one segment of each index.
  ...tables.map((table) => `INSERT INTO ${table} (${table}) VALUES ('optimize')`)
]
