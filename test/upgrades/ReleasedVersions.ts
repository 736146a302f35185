/**
 * The versions of the schema that a released program has written, each with the commit whose code made the fixture: the last one of the
 * main branch with that version. A version counts as released when the main branch had it, since anybody may have run it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import type { Answers } from "./ReleaseContent.ts"

/** The stores whose schema has versions, without and with a key. */
export type Kind = "sqlite" | "postgres" | "sqlite-encrypted" | "postgres-encrypted"

/** The key of the encrypted databases, which opens nothing else. */
export const fixtureKey = "Zml4dHVyZXMgb2YgcmVsZWFzZWQgdmVyc2lvbnMgIT0="

/** The first versions that could encrypt. */
const firstEncrypted = { sqlite: 22, postgres: 6 } as const

/** The commits of versions that could encrypt, but those that `isLeftOut`. */
const encryptedOf = (
  all: ReadonlyArray<string | null>,
  first: number,
  isLeftOut: (version: number) => boolean = () => false
): ReadonlyArray<string | null> => all.map((commit, i) => (i + 1 < first || isLeftOut(i + 1) ? null : commit))

/** In order: the first is the commit of version 1. Null is one that came to the main branch together with the next. */
const plain = {
  sqlite: [
    "7d1d3be5a5d28bd9e5d234185721e985c884f59c",
    "17c92db71ba39d370331d52ef06434657bb0f824",
    "bf7c77460bc715a94222f9aec77e0bdb03abb42f",
    "5d2a66d3716fefae1374aad85c1cead4b051d21f",
    "9c83f48adf235253bcd76fa37850d0bbc7339c2d",
    "20a4d2c0ad584798d96a4c827cb96680e201bdcc",
    "5d1ce3162977c72396aa61b18d144700cb64aad3",
    "3e9a9b0b6c22a55f030f5b4a914cbe0e7cd8a404",
    "6ad6999085e95caa2d34e2d3541bf7f72c7600f0",
    "e4ff77a480a2375e3e4c7c1974c3dd9a5db59402",
    "94b32977a77d159778f2c81cfc144bf494b98dcf",
    "3f7b21af6219f80ad02ac299c9041d4961712a82",
    "150e35fa77497c803392f8f62cf87ceb7366c318",
    "a0510a62607e63644f985ff056be184d1dc2a385",
    "aee0ed535765f4cfdae60720cdf5921e206455da",
    "7871e44e89c5857b3cb131f8a42bd779d90eec22",
    "1560fa80acc0d0f4bd055f32bb07c4974c915646",
    "ef972abc3ee62b7da32df510288750409839ac84",
    null,
    null,
    null,
    "4750d127941f3caa991825f6035adc2b89f83d85",
    "9444cfc4dc91510728b3ab2ca0a60030f764d1c2",
    "efbf578973d2a6a4b0017382e6a7013ed358a5ef",
    "0f7b6d7dcfefa3e9806b378872dc0e0a2c9b0d4c",
    "dc43c51b11c470a671b4bdbc8a7eec09acf456ed"
  ],
  postgres: [
    "aee0ed535765f4cfdae60720cdf5921e206455da",
    "7871e44e89c5857b3cb131f8a42bd779d90eec22",
    "1560fa80acc0d0f4bd055f32bb07c4974c915646",
    "ef972abc3ee62b7da32df510288750409839ac84",
    null,
    "4750d127941f3caa991825f6035adc2b89f83d85",
    null,
    "9444cfc4dc91510728b3ab2ca0a60030f764d1c2",
    "efbf578973d2a6a4b0017382e6a7013ed358a5ef",
    "5ec251a149ceff48e78c3149a4ca4ff9274725fe",
    "47f3d524029da92a66c9cb23d98a7a561ad1e85f",
    "0f7b6d7dcfefa3e9806b378872dc0e0a2c9b0d4c",
    null,
    "dc43c51b11c470a671b4bdbc8a7eec09acf456ed"
  ]
} satisfies Readonly<Record<string, ReadonlyArray<string | null>>>

/** By version, from 1 on; null has no fixture. */
export const commits: Readonly<Record<Kind, ReadonlyArray<string | null>>> = {
  ...plain,
  // Encrypted pages do not compress: the versions between the first and the newest would take half a megabyte each.
  "sqlite-encrypted": encryptedOf(
    plain.sqlite,
    firstEncrypted.sqlite,
    (version) => version > firstEncrypted.sqlite && version < plain.sqlite.length
  ),
  "postgres-encrypted": encryptedOf(plain.postgres, firstEncrypted.postgres)
}

/** What a fixture holds: the file, or the statements of a dump, and what the program that wrote it answered. */
export interface Fixture {
  readonly content: Buffer
  readonly answers: Answers
  /** The journal of removals beside a SQLite file; empty of versions that have none. */
  readonly removals: Buffer
}

/** One archive for all versions of a store: what they have in common is compressed once. */
const archiveOf = (kind: Kind): string => fileURLToPath(new URL(`fixtures/${kind}.br`, import.meta.url))

/** The first line of an archive says how long its parts are, which follow. */
interface Entry {
  readonly version: number
  readonly content: number
  readonly answers: number
  readonly removals?: number
}

const read = new Map<Kind, ReadonlyMap<number, Fixture>>()

/** The fixtures of a store, by version. */
export const fixturesOf = (kind: Kind): ReadonlyMap<number, Fixture> => {
  const known = read.get(kind)
  if (known !== undefined) return known
  const fixtures = new Map<number, Fixture>()
  read.set(kind, fixtures)
  if (!existsSync(archiveOf(kind))) return fixtures
  const archive = brotliDecompressSync(readFileSync(archiveOf(kind)))
  let at = archive.indexOf("\n") + 1
  const next = (length: number): Buffer => archive.subarray(at, (at += length))
  for (const { answers, content, removals = 0, version } of JSON.parse(
    archive.toString("utf8", 0, at)
  ) as ReadonlyArray<Entry>) {
    fixtures.set(version, {
      content: next(content),
      answers: JSON.parse(next(answers).toString()),
      removals: next(removals)
    })
  }
  return fixtures
}

/** The versions that have to have a fixture. */
export const releasedVersions = (kind: Kind): ReadonlyArray<number> =>
  commits[kind].flatMap((commit, i) => (commit === null ? [] : [i + 1]))

/** The versions that have a fixture. */
export const fixtureVersions = (kind: Kind): ReadonlyArray<number> => [...fixturesOf(kind).keys()]

export const readFixture = (kind: Kind, version: number): Fixture => fixturesOf(kind).get(version)!

/** Writes the fixtures of a store, and answers how many bytes they take. */
export const writeFixtures = (kind: Kind, fixtures: ReadonlyMap<number, Fixture>): number => {
  const parts = [...fixtures]
    .sort(([a], [b]) => a - b)
    .map(([version, { answers, content, removals }]) => ({
      version,
      content,
      answers: Buffer.from(JSON.stringify(answers)),
      removals
    }))
  const entries = parts.map(({ answers, content, removals, version }): Entry => ({
    version,
    content: content.length,
    answers: answers.length,
    removals: removals.length
  }))
  const archive = Buffer.concat([
    Buffer.from(`${JSON.stringify(entries)}\n`),
    ...parts.flatMap(({ answers, content, removals }) => [content, answers, removals])
  ])
  const compressed = brotliCompressSync(archive, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: archive.length
    }
  })
  writeFileSync(archiveOf(kind), compressed)
  return compressed.length
}
