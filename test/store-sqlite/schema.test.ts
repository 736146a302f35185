/** The schema of a file, and the migrations that lead to it, which depend on nothing that changes. */
import { Folding } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { checkForeign, fold } from "@lead-signals/store-sqlite/internal"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { isAssigned } from "../harness/Unicode16.ts"

const source = fileURLToPath(new URL("../../packages/store-sqlite/src/schema/", import.meta.url))
const migrations = readdirSync(join(source, "migrations"))

/** SQLite keeps statements as they were written, and quotes a table that was renamed. */
const normalized = (sql: string): string =>
  sql
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),;]) ?/g, "$1")

/** FTS5's own tables hold what these commands say, and segments. */
const ofSearchIndex = /^lead_(text|gram)_(data|idx|docsize|config)$/

/** A store gives the database a name of its own when it opens the file. */
const isNamed = (table: string): boolean => table === "removal_journal"

const contentsOf = (db: Database.Database) => {
  const all = db.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").all()
  const objects = (all as ReadonlyArray<{ readonly name: string; readonly sql: string }>).filter(
    ({ name }) => !ofSearchIndex.test(name) && name !== "sqlite_sequence"
  )
  const tables = objects.filter(({ name, sql }) => sql.startsWith("CREATE TABLE") && name !== "migration")
  const settings = ["lead_text", "lead_gram"].map((name) => `${name}_config`)
  return {
    applicationId: db.pragma("application_id", { simple: true }),
    objects: Object.fromEntries(objects.map(({ name, sql }) => [name, normalized(sql)])),
    rows: Object.fromEntries(
      [...tables.map(({ name }) => name).filter((name) => !isNamed(name)), ...settings].map((name) => [
        name,
        db.prepare(`SELECT * FROM ${name}`).raw().all()
      ])
    )
  }
}

describe("the schema of a file", () => {
  it("takes a new file for its own while another process makes the first tables between any two statements [STORE-3]", () => {
    const filename = join(temporaryFolder(), "new.sqlite")
    const [mine, theirs] = [new Database(filename), new Database(filename)]
    const make = `BEGIN; ${readFileSync(join(source, "schema.sql"), "utf8")}; COMMIT`
    let isMade = false
    const value = <Value>(text: string): Value | undefined => {
      const read = mine.prepare(text).pluck().get() as Value | undefined
      if (!isMade) theirs.exec(make)
      isMade = true
      return read
    }
    checkForeign({ value }, filename)
    checkForeign({ value }, filename)
    theirs.pragma("application_id = 1")
    expect(() => checkForeign({ value }, filename)).toThrow(`${filename} is a SQLite file of another program`)
    mine.close()
    theirs.close()
  })

  it("is what schema.sql says [STORE-5]", async () => {
    const filename = join(temporaryFolder(), "migrated.sqlite")
    await Effect.runPromise(
      Effect.scoped(Effect.asVoid(Layer.build(SqliteStore.layer({ filename, synced: false }))))
    )
    const [migrated, written] = [new Database(filename), new Database(":memory:")]
    written.exec(readFileSync(join(source, "schema.sql"), "utf8"))
    const expected = contentsOf(migrated)
    expect(Object.keys(expected.objects).length).toBeGreaterThan(60)
    expect(contentsOf(written)).toEqual(expected)
    migrated.close()
    written.close()
  })
})

/**
 * What each migration runs, by the digest of its statements, or of its code where it is more than statements. Once released, a
 * migration stays as it is: what is to change takes another one.
 */
const digests: Readonly<Record<string, string>> = {
  "0001_leads.ts": "c86747dacc979a6a",
  "0002_webhooks.ts": "7cbb9f548a9504c1",
  "0003_positions.ts": "91711c40aebb72d7",
  "0004_shown.ts": "5ea2441f22c504da",
  "0006_shorter_ways.ts": "fadd503789a27bd9",
  "0007_long_stretches.ts": "dce1e4a243edd1f4",
  "0008_joined_texts.ts": "b002017eac37933f",
  "0009_signals_in_order.ts": "f39ecb1744381a5b",
  "0011_numbered_changes.ts": "d42078247e7993b6",
  "0012_stretches_again.ts": "1a313c79978e85ec",
  "0013_folding.ts": "9ce84618cbc18288",
  "0013_texts_by_brand.ts": "3bf3d3e75d46f0a1",
  "0014_deletions.ts": "2fe438367a697270",
  "0015_segment_merge.ts": "5eb21df867f94694",
  "0016_retention.ts": "f3f8fc9e0e804511",
  "0017_activity.ts": "d439c614454cc264",
  "0018_operators.ts": "3032aa5cfdd7ce0e",
  "0019_secret_wrapping.ts": "903092eefac5c903",
  "0020_idempotency.ts": "b4fbeae476fdea29",
  "0021_removals.ts": "fffa5d42aa722bbb",
  "0022_counts_by_commit.ts": "a3be07540b519da7",
  "0023_webhook_settings.ts": "80055c81b5cba5dd",
  "0024_attempt_posts.ts": "3a9a01babdfefdd2",
  "0025_changed_leads.ts": "1302f02e8962f3db",
  "0027_attempt_batches.ts": "1a9a7eeb3e5e824f"
}

describe("a migration", () => {
  it.each(migrations)("imports no code that changes with the store: %s [STORE-5]", (name) => {
    const imports = [
      ...readFileSync(join(source, "migrations", name), "utf8").matchAll(/ from "([^"]+)"/g)
    ].map(([, from]) => from)
    const allowed =
      name === "0013_texts_by_brand.ts"
        ? ["../../connection/Connection.ts", "../MigrationProgress.ts", "./0013_folding.ts"]
        : []
    expect(imports).toEqual(allowed)
  })

  it("that was released runs what it ran then [STORE-5]", async () => {
    const found: Record<string, string> = {}
    for (const name of migrations) {
      const file = join(source, "migrations", name)
      const module = (await import(file)) as Record<string, unknown>
      const statements = Object.values(module).find((exported) => Array.isArray(exported))
      // Its imports are checked above: where those modules stand may change, and comments run nothing.
      const code = readFileSync(file, "utf8")
        .replaceAll(/^import .*\n/gm, "")
        .replaceAll(/\/\*[^]*?\*\//g, "")
        .replaceAll(/\s+/g, " ")
      const text = statements === undefined ? code : (statements as ReadonlyArray<string>).join(";\n")
      found[name] = createHash("sha256").update(text).digest("hex").slice(0, 16)
    }
    expect(found).toEqual(digests)
  })

  it("folds texts as the store does: another folding takes a migration of its own [LIST-4, SORT-6]", () => {
    // By default the planes that have letters.
    for (let from = 0; from < (isThorough ? 0x110000 : 0x20000); from += 64) {
      // Half a surrogate pair is no character. The migration folds what Unicode 16 does not assign by the runtime's version.
      const codes = Array.from({ length: 64 }, (_, i) => from + i).filter(
        (code) => (code < 0xd800 || code > 0xdfff) && isAssigned(code)
      )
      const text = codes.map((code) => `${String.fromCodePoint(code)} `).join("")
      expect(fold(text)).toBe(Folding.fold(text))
    }
    const long = `İstanbul ${"ß\u0315".repeat(2000)}`
    expect(fold(long)).toBe(Folding.fold(long))
  })
})
