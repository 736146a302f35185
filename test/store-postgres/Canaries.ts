/** People whose every string can be told apart and found again, in bytes of any origin. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** Kinds of strings that a key of a person seals. */
export const sealedKinds = [
  "externalid",
  "username",
  "title",
  "profileurl",
  "imageurl",
  "company",
  "comment",
  "posturl",
  "post",
  "author",
  "authorid",
  "authorheadline",
  "response"
] as const

/** Kinds of strings that stay readable in their folded form, for order and search. */
export const readableKinds = ["name", "headline"] as const

type Kind = (typeof sealedKinds)[number] | (typeof readableKinds)[number]

/** Capitals tell a text from its folded form. */
const canary = (kind: Kind, i: number): string => `Canary${kind.toUpperCase()}${String(i).padStart(4, "0")}Z`

/** An observation of the person with the number. Every second one has an author with an external id. */
export const observationOf = (signalId: string, i: number) => {
  const of = (kind: Kind) => canary(kind, i)
  return {
    signalId,
    person: {
      extId: of("externalid"),
      name: of("name"),
      headline: of("headline"),
      username: of("username"),
      title1: of("title"),
      liProfileUrl: `https://network.example/in/${of("profileurl")}`,
      profileImgUrl: `https://network.example/image/${of("imageurl")}`,
      company: { id: i + 1, name: of("company") }
    },
    engagement: {
      id: `engagement-${i}`,
      type: "comment",
      commentText: of("comment"),
      postUrl: `https://network.example/p/${of("posturl")}`,
      postContent: of("post"),
      postAuthor: of("author"),
      postAuthorDetail: {
        extId: i % 2 === 0 ? null : of("authorid"),
        name: of("author"),
        headline: of("authorheadline")
      }
    }
  }
}

/** What a receiver repeats of the delivery with the number. */
export const responseOf = (i: number): string => canary("response", i)

/** How many strings of each kind were found: as they are, or folded. */
export type Found = Readonly<Record<string, number>>

/** Counts the different strings of each kind in the bytes; those that are found folded alone count as `kind, folded`. */
export const findCanaries = (parts: Iterable<Buffer>): Found => {
  const exact = new Map<string, Set<string>>()
  const add = (kind: string, number: string) =>
    exact.set(kind, (exact.get(kind) ?? new Set<string>()).add(number))
  for (const bytes of parts) {
    for (const [, name, number] of bytes.toString("latin1").matchAll(/canary([a-z]+)(\d{4})z/gi)) {
      const kind = name!.toLowerCase()
      add(name === kind ? `${kind}, folded` : kind, number!)
    }
  }
  return Object.fromEntries(Array.from(exact, ([kind, numbers]) => [kind, numbers.size]))
}

/** The content of every file below the folder. */
export function* filesBelow(folder: string): Generator<Buffer> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory() === true) yield* filesBelow(path)
    else if (found?.isFile() === true) yield readFileSync(path)
  }
}

/** A table of places and kinds, for the log of a test. */
export const canaryTable = (rows: Readonly<Record<string, Found>>): string => {
  const kinds = [...readableKinds, ...readableKinds.map((kind) => `${kind}, folded`), ...sealedKinds]
  const lines = Object.entries(rows).map(([place, found]) => [
    place,
    ...kinds.map((kind) => String(found[kind] ?? 0))
  ])
  return [["place", ...kinds], ["---", ...kinds.map(() => "--:")], ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
}
