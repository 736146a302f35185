/** Encrypted files and wrapped secrets: what is readable without the key, what is refused, and what a change of key leaves. [PII-4] */
import {
  BrandStore,
  type Brand,
  defaultSending,
  type StoreUnavailable,
  type Webhook,
  WebhookStore
} from "@lead-signals/domain"
import { generateEncryptionKey, isWrapped, keyId, parseEncryptionKey } from "@lead-signals/encryption"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { DriverConnection } from "@lead-signals/store-sqlite/internal"
import PlainDatabase from "better-sqlite3"
import { Effect, Either, ManagedRuntime } from "effect"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { raw } from "../harness/RawFile.ts"
import { filesIn, temporaryFolder } from "../harness/TemporaryFolder.ts"

const folder = temporaryFolder()
const newFile = filesIn(folder, "encryption")

const newKey = () => Either.getOrThrow(parseEncryptionKey(generateEncryptionKey()))
const [key, otherKey] = [newKey(), newKey()]

const name = "Recognisable Name GmbH"
const whsec = "whsec_cmVjb2duaXNhYmxlIHNlY3JldCBvZiBhIHdlYmhvb2s="
const suppressionSecret = "5ec2e7".repeat(10) + "5ec2"

type Stores = BrandStore | WebhookStore
type Encryption = SqliteStore.EncryptionOptions | undefined

const layerOf = (filename: string, encryption: Encryption) =>
  SqliteStore.layer({ filename, ...(encryption === undefined ? {} : { encryption }) })

const within = async <A, E>(
  filename: string,
  encryption: Encryption,
  effect: Effect.Effect<A, E, Stores>
): Promise<A> => {
  const runtime = ManagedRuntime.make(layerOf(filename, encryption))
  try {
    return await runtime.runPromise(effect)
  } finally {
    await runtime.dispose()
  }
}

const fill = Effect.gen(function* () {
  const brand = yield* (yield* BrandStore).create({ name, suppressionSecret, createdAt: 1 })
  yield* (yield* WebhookStore).create({
    brandId: brand.id,
    url: "https://recognisable.example/hook",
    events: ["lead2.created"],
    description: null,
    enabled: true,
    disabledReason: null,
    ...defaultSending,
    failingSince: null,
    secrets: { current: whsec, previous: null },
    createdAt: 1
  })
})

const contents: Effect.Effect<
  readonly [ReadonlyArray<Brand>, ReadonlyArray<Webhook>],
  StoreUnavailable,
  Stores
> = Effect.gen(function* () {
  const brands = yield* (yield* BrandStore).list
  return [brands, yield* (yield* WebhookStore).list(brands[0]!.id)] as const
})

const filled = async (encryption: Encryption): Promise<string> => {
  const filename = newFile()
  await within(filename, encryption, fill)
  return filename
}

/** The reason for which the effect fails; null where it succeeds. */
const reasonOf = (effect: Effect.Effect<unknown, StoreUnavailable>): Promise<string | null> =>
  Effect.runPromise(Effect.match(effect, { onFailure: ({ reason }) => reason, onSuccess: () => null }))

/** The reason for which the store does not open, or does not answer; null where it does. */
const refusal = (
  filename: string,
  encryption: Encryption,
  effect: Effect.Effect<unknown, StoreUnavailable, Stores> = Effect.void
): Promise<string | null> => reasonOf(Effect.provide(effect, layerOf(filename, encryption)))

/** The bytes of the file and of what lies beside it. */
const bytesOf = (filename: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(dirname(filename))
      .filter((each) => each.startsWith(basename(filename)) && !each.endsWith("-shm"))
      .map((each) => [
        each,
        createHash("sha256")
          .update(readFileSync(join(dirname(filename), each)))
          .digest("hex")
      ])
  )

const strings = [name, whsec, suppressionSecret, "recognisable.example"]
const readableIn = (filename: string): ReadonlyArray<string> => {
  const all = [...bytesOf(filename).keys()].map((each) => readFileSync(join(dirname(filename), each)))
  return strings.filter((text) => all.some((bytes) => bytes.includes(text)))
}

/** What a kill leaves: the file and its log as they are while the store is open. */
const killed = async (encryption: Encryption): Promise<string> => {
  const filename = newFile()
  const runtime = ManagedRuntime.make(layerOf(filename, encryption))
  await runtime.runPromise(fill)
  const left = newFile()
  for (const ending of ["", "-wal"]) copyFileSync(filename + ending, left + ending)
  await runtime.dispose()
  return left
}

describe("an encrypted file", () => {
  it("shows nothing of what it keeps, and a plain one does [PII-4]", async () => {
    expect(readableIn(await filled(undefined))).toEqual(strings)
    expect(readableIn(await filled({ key }))).toEqual([])
    expect(readableIn(await killed({ key }))).toEqual([])
    expect(readableIn(await killed(undefined))).toEqual(strings)
  })

  it("is refused without its key and under another one, with a line that says so and no change of any file [PII-4]", async () => {
    for (const filename of [await filled({ key }), await killed({ key })]) {
      const before = bytesOf(filename)
      const encrypted = `${filename} is encrypted under the key with the id ${keyId(key)}`
      expect(await refusal(filename, undefined)).toBe(`${encrypted}, and no encryption key is set`)
      expect(await refusal(filename, { key, scope: "secrets" })).toBe(
        `${encrypted}, and no encryption key is set`
      )
      expect(await refusal(filename, { key: otherKey })).toBe(
        `${encrypted}, and the encryption key that is set has the id ${keyId(otherKey)}`
      )
      for (const encryption of [undefined, { key: otherKey }]) {
        for (const use of [
          SqliteStore.check(filename, () => {}, encryption),
          SqliteStore.backup(filename, newFile(), { encryption }),
          Effect.scoped(SqliteStore.copySource(filename, encryption))
        ]) {
          const { cause, reason } = await Effect.runPromise(
            Effect.flip(use as Effect.Effect<unknown, StoreUnavailable>)
          )
          expect(reason).toContain(encrypted)
          expect(cause).toMatchObject({ code: "ENCRYPTION_KEY" })
        }
      }
      expect(bytesOf(filename)).toEqual(before)
      expect((await within(filename, { key }, contents))[0][0]!.name).toBe(name)
    }
  })

  it("is not what a plain file becomes by a key [PII-4]", async () => {
    for (const filename of [await filled(undefined), await killed(undefined)]) {
      const before = bytesOf(filename)
      expect(await refusal(filename, { key })).toBe(
        `${filename} is not encrypted, and an encryption key is set: encrypt the file with lead-signals rekey, or set no key`
      )
      expect(bytesOf(filename)).toEqual(before)
      expect(await refusal(filename, undefined)).toBeNull()
    }
  })

  it("is reported as damaged where it is, whatever the key [PII-4]", async () => {
    const filename = await filled({ key })
    const bytes = readFileSync(filename)
    bytes[2000]! ^= 1
    writeFileSync(filename, bytes)
    expect(await refusal(filename, { key })).toMatch(/the file is damaged/)
    writeFileSync(filename, "no database at all, but longer than any header of one could be")
    expect(await refusal(filename, undefined)).toMatch(/the file is damaged or is not a SQLite file/)
    expect(await refusal(filename, { key })).toMatch(/the file is damaged or is not a SQLite file/)
  })

  it("spills nothing into temporary files [PII-4]", () => {
    const [hex, id] = ["00".repeat(32), "0011223344556677"]
    const valueOf = (open: { readonly key?: { readonly hex: string; readonly id: string } }): number => {
      const sql = new DriverConnection(newFile(), { readonly: false, busyMillis: 50, ...open })
      try {
        return sql.value<number>("PRAGMA temp_store")!
      } finally {
        sql.close()
      }
    }
    expect([valueOf({ key: { hex, id } }), valueOf({})]).toEqual([2, 0])
  })

  it("has backups that are encrypted under its key [PII-4, STORE-8]", async () => {
    const filename = await filled({ key })
    const target = newFile()
    const fractions: Array<number> = []
    const made = await Effect.runPromise(
      SqliteStore.backup(filename, target, {
        onProgress: (fraction) => fractions.push(fraction),
        encryption: { key }
      })
    )
    expect(made.bytes).toBe(readFileSync(target).length)
    expect(readableIn(target)).toEqual([])
    expect(await within(target, { key }, contents)).toEqual(await within(filename, { key }, contents))
    const { problems } = await Effect.runPromise(SqliteStore.check(target, () => {}, { key }))
    expect(problems).toEqual([])
  })

  it("is a source and a target of copies, with secrets of its own [PII-4, STORE-10]", async () => {
    const target = newFile()
    await Effect.runPromise(
      Effect.scoped(Effect.map(SqliteStore.copyTarget(target, { key: otherKey }), () => {}))
    )
    expect(readFileSync(`${target}.lead-signals-copy`).subarray(0, 7).toString()).toBe("LeadSig")
    const rows = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(SqliteStore.copySource(await filled({ key }), { key }), (source) =>
          Effect.promise(async () => {
            const { copyTables } = await import("@lead-signals/domain")
            const found: Array<unknown> = []
            for (const table of copyTables.filter((each) => ["brand", "webhook"].includes(each.name))) {
              for await (const part of source.rows(table, null)) found.push(...part)
            }
            return JSON.stringify(found)
          })
        )
      )
    )
    expect([rows.includes(suppressionSecret), rows.includes(whsec)]).toEqual([true, true])
  })
})

describe("wrapped secrets", () => {
  const stored = (filename: string): ReadonlyArray<string> => {
    const db = new PlainDatabase(filename, { readonly: true })
    try {
      return db
        .prepare("SELECT suppression_secret FROM brand UNION ALL SELECT secrets FROM webhook")
        .pluck()
        .all() as Array<string>
    } finally {
      db.close()
    }
  }

  it("are those of a plain file from its first start with a key on, and read as before [PII-4]", async () => {
    const filename = await filled(undefined)
    const before = await within(filename, undefined, contents)
    expect(stored(filename).map(isWrapped)).toEqual([false, false])
    const secrets = { key, scope: "secrets" } as const
    expect(await within(filename, secrets, contents)).toEqual(before)
    expect(stored(filename).map(isWrapped)).toEqual([true, true])
    expect(readableIn(filename)).toEqual([name, "recognisable.example"])
    await within(filename, secrets, fill)
    expect(stored(filename).map(isWrapped)).toEqual([true, true, true, true])
    expect(readableIn(filename)).toEqual([name, "recognisable.example"])
  })

  it("are refused without their key and under another one, by a copy, too [PII-4, STORE-10]", async () => {
    const filename = await filled({ key, scope: "secrets" })
    const wrapped = `${filename} keeps its secrets wrapped under the encryption key with the id ${keyId(key)}`
    const before = bytesOf(filename)
    const toCopy = (encryption: Encryption) =>
      reasonOf(Effect.scoped(SqliteStore.copySource(filename, encryption)))
    for (const reason of [refusal(filename, undefined), toCopy(undefined)])
      expect(await reason).toBe(`${wrapped}, and no encryption key is set`)
    const other = { key: otherKey, scope: "secrets" } as const
    for (const reason of [refusal(filename, other), toCopy(other)])
      expect(await reason).toBe(
        `${wrapped}, and the encryption key that is set has the id ${keyId(otherKey)}`
      )
    expect(bytesOf(filename)).toEqual(before)
  })

  it("are refused where one was moved to another row [PII-4]", async () => {
    const secrets = { key, scope: "secrets" } as const
    const filename = await filled(secrets)
    await within(filename, secrets, fill)
    const db = new PlainDatabase(filename)
    db.exec("UPDATE brand SET suppression_secret = (SELECT suppression_secret FROM brand WHERE id = 1)")
    db.close()
    expect(await refusal(filename, secrets, contents)).toBe(
      "A wrapped secret was changed, or moved from another row."
    )
  })
})

describe("a change of the key", () => {
  const rekey = (
    filename: string,
    current: SqliteStore.Rekeying["current"],
    target: Encryption,
    steps: Array<readonly [fraction: number, what: string]> = []
  ) => Effect.runPromise(SqliteStore.rekey(filename, { current, target }, (...step) => void steps.push(step)))

  it("encrypts, changes the key, decrypts, and keeps everything; a repetition changes nothing [PII-4]", async () => {
    const filename = await filled(undefined)
    const expected = await within(filename, undefined, contents)
    const ways: ReadonlyArray<readonly [current: SqliteStore.Rekeying["current"], target: Encryption]> = [
      [undefined, { key }],
      [key, { key: otherKey }],
      [otherKey, { key: otherKey, scope: "secrets" }],
      [otherKey, { key, scope: "secrets" }],
      [key, { key }],
      [key, undefined],
      [undefined, { key: otherKey, scope: "secrets" }],
      [otherKey, undefined]
    ]
    for (const [current, target] of ways) {
      const steps: Array<readonly [fraction: number, what: string]> = []
      expect(await rekey(filename, current, target, steps)).toEqual({ changed: true })
      const fractions = steps.map(([fraction]) => fraction)
      // Secrets alone are wrapped in one step, of which nothing is told.
      expect([0, ...fractions, 1]).toEqual([0, ...fractions, 1].toSorted((a, b) => a - b))
      expect(fractions.at(-1) ?? 1).toBe(1)
      expect(await rekey(filename, current, target)).toEqual({ changed: false })
      const found =
        target === undefined ? strings : target.scope === "secrets" ? [name, "recognisable.example"] : []
      expect(readableIn(filename)).toEqual(found)
      expect(await within(filename, target, contents)).toEqual(expected)
      const { problems } = await Effect.runPromise(SqliteStore.check(filename, () => {}, target))
      expect(problems).toEqual([])
    }
    expect(readdirSync(folder).filter((each) => each.includes("lead-signals-rekey"))).toEqual([])
  })

  it("takes a file of before secrets were wrapped, and one that has no table yet [PII-4, STORE-5]", async () => {
    const older = await filled(undefined)
    const before = await within(older, undefined, contents)
    raw(older, (db) => takeBackTo(db, 18))
    expect(await rekey(older, undefined, { key })).toEqual({ changed: true })
    expect(await within(older, { key }, contents)).toEqual(before)
    const empty = newFile()
    raw(empty, (db) => db.exec("CREATE TABLE one (x); DROP TABLE one"))
    expect(await rekey(empty, undefined, { key })).toEqual({ changed: true })
    const brands = Effect.flatMap(BrandStore, ({ list }) => list)
    expect([await within(empty, { key }, brands), readableIn(older)]).toEqual([[], []])
  })

  it("takes what a kill left in the log, and removes what one left beside the file [PII-4]", async () => {
    const filename = await killed(undefined)
    writeFileSync(`${filename}.lead-signals-rekey`, "left")
    expect(await rekey(filename, undefined, { key })).toEqual({ changed: true })
    expect((await within(filename, { key }, contents))[0][0]!.name).toBe(name)
    expect([readableIn(filename), existsSync(`${filename}.lead-signals-rekey`)]).toEqual([[], false])
  })

  it("is refused under neither key of the file, on a file of another program, and while a store has it open [PII-4]", async () => {
    const filename = await filled({ key })
    const refused = (current: SqliteStore.Rekeying["current"], target: Encryption) =>
      reasonOf(SqliteStore.rekey(filename, { current, target }))
    const encrypted = `${filename} is encrypted under the encryption key with the id ${keyId(key)}`
    expect(await refused(undefined, { key: otherKey })).toBe(`${encrypted}, and no encryption key is set`)
    expect(await refused(otherKey, undefined)).toBe(
      `${encrypted}, and the key that is set has the id ${keyId(otherKey)}`
    )
    const wrapped = await filled({ key, scope: "secrets" })
    expect(await reasonOf(SqliteStore.rekey(wrapped, { current: otherKey, target: undefined }))).toBe(
      `${wrapped} keeps its secrets wrapped under the encryption key with the id ${keyId(key)}, and the key that is set has the id ${keyId(otherKey)}`
    )
    const foreign = newFile()
    const db = new PlainDatabase(foreign)
    db.exec("CREATE TABLE theirs (x)")
    db.close()
    expect(await reasonOf(SqliteStore.rekey(foreign, { current: undefined, target: { key } }))).toBe(
      `${foreign} is a SQLite file of another program`
    )
    const runtime = ManagedRuntime.make(layerOf(filename, { key }))
    const before = await runtime.runPromise(contents)
    expect(await refused(key, { key: otherKey })).toBe(
      `another process has ${filename} open: stop the servers on it`
    )
    expect(await runtime.runPromise(contents)).toEqual(before)
    await runtime.dispose()
    expect(await within(filename, { key }, contents)).toEqual(before)
  })
})
