/**
 * Takes each lock of the store on Postgres away, weakens it, or has rows locked in the opposite order, and says which test notices: `npm run
 * bench -- lock-mutants [--thorough] [PATTERN]`. The tests run in a copy of the repository. With `--thorough` those that step pairs of
 * transactions judge, too, what the others let live: minutes each.
 */
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ScratchCopy } from "@lead-signals/simulations/internal"

interface LockMutant {
  readonly name: string
  readonly file: string
  readonly text: string
}

/** A change by syntax: what it replaces, and by what. */
interface Change {
  readonly what: string
  readonly found: RegExp
  readonly put: (...found: ReadonlyArray<string>) => string
}

const clause = /FOR (?:NO KEY )?(?:UPDATE|SHARE)(?: OF \w+)?|FOR KEY SHARE/

const changes: ReadonlyArray<Change> = [
  {
    what: "without a lock of rows",
    found: new RegExp(`(?<!")(?:${clause.source})(?: SKIP LOCKED)?`, "g"),
    put: () => ""
  },
  { what: "waiting for locked rows", found: / SKIP LOCKED/g, put: () => "" },
  {
    what: "in the opposite order",
    found: new RegExp(
      `ORDER BY (?:\\w+\\.)?(\\w+)(?=(?: LIMIT [^ ]+)?\\s+(?:${clause.source})|\\) f CROSS JOIN LATERAL)`,
      "g"
    ),
    put: (whole) => `${whole} DESC`
  },
  {
    what: "without the call",
    found:
      /^( +)(?:if \(.*\) )?await (lockBrand|lockPerson|lockBrandVersions|lockPending|lockJournal|lockLeads|takeLocks|holdEncryptionKey|holdEncryption|changeEncryption|sql\.run\(lock\w+)\b/gm,
    put: (whole, indent) => `${indent}if (process.pid < 0) ${whole!.trimStart()}`
  },
  { what: "shared", found: /isShared: false/g, put: () => "isShared: true" },
  { what: "taken downwards", found: /\(a < b \? -1 : a > b \? 1 : 0\)/g, put: () => "(a < b ? 1 : -1)" },
  { what: "brands downwards", found: /\.sort\(ascending\)/g, put: () => ".sort((a, b) => b - a)" },
  {
    what: "counted in the opposite order",
    found: /ORDER BY given\.brand_id, given\.webhook_id, given\.state/g,
    put: () => "ORDER BY given.brand_id DESC, given.webhook_id DESC, given.state DESC"
  }
]

/** Two lockings of one transaction in the opposite order, by their texts. */
const swaps: ReadonlyArray<readonly [file: string, name: string, first: string, second: string]> = [
  [
    "writes/Erasure.ts",
    "deliveries before leads",
    "  const locked = await lockReaders(db, brandId, author, id)\n",
    "  const deliveries = await lockDeliveries(db, brandId, [id], author)\n"
  ],
  [
    "stores/PostgresWebhookStore.ts",
    "the webhook before the brand",
    "  await lockBrand(sql, idOf(brandId))\n",
    '  if (Option.isNone(await webhookById(brandId, id, "FOR UPDATE")(sql))) return "missing"\n'
  ],
  [
    "stores/PostgresPruning.ts",
    "the lease before the brand",
    '        if (kind === "leads") await lockBrand(sql, found.brandId)\n',
    "        if (lease === null) await sql.run(lockPruning)\n        else if (!(await takePruningLease(sql, lease, now))) return leasedElsewhere\n"
  ]
]

const root = fileURLToPath(new URL("../..", import.meta.url))
const sources = "packages/store-postgres/src"

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length

const mutants = (): ReadonlyArray<LockMutant> => {
  const files = globSync("{writes,stores,journal,maintenance}/*.ts", { cwd: join(root, sources) }).toSorted()
  return files.flatMap((file): ReadonlyArray<LockMutant> => {
    const text = readFileSync(join(root, sources, file), "utf8")
    const code = (at: number): boolean =>
      !/^\s*(?:\/?\*|\/\/)/.test(text.slice(text.lastIndexOf("\n", at) + 1, at))
    const changed = changes.flatMap(({ found, put, what }) =>
      [...text.matchAll(found)]
        .filter(({ index }) => code(index))
        .map((match) => ({
          name: `${file}:${lineOf(text, match.index)} ${what}`,
          file,
          text: text.slice(0, match.index) + put(...match) + text.slice(match.index + match[0].length)
        }))
    )
    const swapped = swaps
      .filter(([of]) => of === file)
      .map(([, name, first, second]) => {
        if (!text.includes(first) || !text.includes(second)) throw new Error(`${file} has other locks`)
        // The first goes right behind the second.
        return {
          name: `${file} ${name}`,
          file,
          text: text.replace(first, "").replace(second, `${second}${first}`)
        }
      })
    return [...changed, ...swapped]
  })
}

interface Judge {
  readonly files: ReadonlyArray<string>
  readonly isThorough: boolean
}

const judges: ReadonlyArray<Judge> = [
  { files: ["store-postgres/lockOrder"], isThorough: true },
  {
    files: ["store-postgres/orderedNodes", "store-postgres/nodes", "store-postgres/interleavings"],
    isThorough: false
  }
]
const steppers: ReadonlyArray<Judge> = [
  {
    files: [
      "store-postgres/interleavedOrders",
      "store-postgres/interleavedOrderedWebhooks",
      "store-postgres/interleavings",
      "store-postgres/interleavedLeads",
      "store-postgres/interleavedDeliveries",
      "store-postgres/interleavedPrunings",
      "store-postgres/directoryInterleavings"
    ],
    isThorough: true
  }
]

interface RunResults {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

/** The first test that fails; null where none does. */
const killerOf = (scratch: string, { files, isThorough }: Judge): string | null => {
  const folder = join(scratch, "test")
  const vitest = join(folder, "node_modules", "vitest", "vitest.mjs")
  const { status, stdout } = spawnSync(
    process.execPath,
    [vitest, "run", "--reporter", "json", "--bail", "1", ...files],
    {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
      env: { ...process.env, THOROUGH_TESTS: String(isThorough) }
    }
  )
  if (status === 0) return null
  const json = stdout.slice(stdout.indexOf('{"numTotal'))
  try {
    const { testResults } = JSON.parse(json) as RunResults
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find((each) => each.status === "failed")
    return failed === undefined
      ? "the tests do not load"
      : `${failed.fullName}: ${failed.failureMessages[0]!.match(/(?:"|\+ +")([^"\n]{10,160})/)?.[1] ?? failed.failureMessages[0]!.split("\n")[0]!.slice(0, 160)}`
  } catch {
    return "the tests end without results"
  }
}

const words = process.argv.slice(2)
const pattern = new RegExp(words.find((word) => !word.startsWith("--")) ?? "")
const all = words.includes("--thorough") ? [...judges, ...steppers] : judges
const chosen = mutants().filter(({ name }) => pattern.test(name))
const scratch = ScratchCopy.make()
let killed = 0
for (const { file, name, text } of chosen) {
  const path = join(sources, file)
  scratch.write(path, text)
  let killer: string | null = null
  for (const judge of all) if ((killer ??= killerOf(scratch.folder, judge)) !== null) break
  scratch.write(path, readFileSync(join(root, path), "utf8"))
  if (killer !== null) killed++
  console.log(`${killer === null ? "lives " : "killed"}  ${name}${killer === null ? "" : `  ${killer}`}`)
}
console.log(`${killed} of ${chosen.length} are noticed`)
scratch.remove()
