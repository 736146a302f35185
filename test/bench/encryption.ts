/**
 * `npm run bench -- encryption [LEADS]`: the processor time of writes and reads over a plain SQLite file and an
 * encrypted one, in turn, by the store alone. The least of the rounds counts: the rest is what else the machine did.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Brands, Leads, LeadQueries, recordObservations, Signals } from "@lead-signals/domain"
import { parseEncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer, ManagedRuntime } from "effect"

const leads = Number(process.argv[2] ?? 10_000)
const rounds = 3
const batch = 50
const reads = 2000
const key = Either.getOrThrow(parseEncryptionKey("e7".repeat(32)))

interface Figures {
  readonly write: number
  readonly coldRead: number
  readonly warmRead: number
  readonly open: number
  readonly bytes: number
}

const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1000
}

const layerOf = (filename: string, encrypted: boolean) =>
  Layer.merge(SqliteStore.layer({ filename, ...(encrypted ? { encryption: { key } } : {}) }), webCrypto)

const measure = async (encrypted: boolean): Promise<Figures> => {
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-bench-"))
  const filename = join(folder, "bench.sqlite")
  const open = () => ManagedRuntime.make(layerOf(filename, encrypted))
  let runtime = open()
  const brand = await runtime.runPromise(Brands.create("B"))
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = await runtime.runPromise(Signals.create(brand.id, { name: "S", signalType: "t", source }))
  const observe = (from: number) =>
    recordObservations(
      brand,
      Array.from({ length: batch }, (_, i) => ({
        signalId: signal.id,
        person: {
          extId: `p${from + i}`,
          name: `Person ${((from + i) * 7919) % 1_000_003}`,
          headline: "Head of things"
        },
        engagement: {
          id: `e${from + i}`,
          type: "comment",
          commentText: "A comment of some length. ".repeat(4)
        }
      }))
    )
  let before = cpuMillis()
  for (let from = 0; from < leads; from += batch) await runtime.runPromise(observe(from))
  const write = (cpuMillis() - before) / leads
  await runtime.dispose()
  before = cpuMillis()
  runtime = open()
  await runtime.runPromise(Effect.void)
  const opened = cpuMillis() - before
  const list = (n: number) => {
    const text = `page=${1 + ((n * 37) % Math.floor(leads / 25))}&pageSize=25&sort=${n % 2 === 0 ? "name:asc" : "createdAt:desc"}`
    const entries = [...new URLSearchParams(text)]
    return Leads.listRendered(brand.id, Either.getOrThrow(LeadQueries.readList(entries)))
  }
  before = cpuMillis()
  for (let n = 0; n < 200; n++) await runtime.runPromise(list(n))
  const coldRead = (cpuMillis() - before) / 200
  for (let n = 200; n < reads; n++) await runtime.runPromise(list(n))
  before = cpuMillis()
  for (let n = 0; n < reads; n++) await runtime.runPromise(list(n))
  const warmRead = (cpuMillis() - before) / reads
  await runtime.dispose()
  const { size } = statSync(filename)
  rmSync(folder, { recursive: true })
  return { write, coldRead, warmRead, open: opened, bytes: size }
}

const min: { plain?: Figures; encrypted?: Figures } = {}
const lesser = (a: Figures | undefined, b: Figures): Figures =>
  a === undefined
    ? b
    : {
        write: Math.min(a.write, b.write),
        coldRead: Math.min(a.coldRead, b.coldRead),
        warmRead: Math.min(a.warmRead, b.warmRead),
        open: Math.min(a.open, b.open),
        bytes: b.bytes
      }

for (let round = 0; round < rounds; round++) {
  min.plain = lesser(min.plain, await measure(false))
  min.encrypted = lesser(min.encrypted, await measure(true))
}

const rows: ReadonlyArray<readonly [what: string, of: keyof Figures, unit: string]> = [
  [`an observation, in requests of ${batch}`, "write", "ms"],
  ["a list of 25 leads, the first 200 after opening", "coldRead", "ms"],
  ["a list of 25 leads, later", "warmRead", "ms"],
  ["opening the store", "open", "ms"],
  ["the file", "bytes", "bytes"]
]
process.stdout.write(`${leads} leads, processor time, the least of ${rounds} rounds\n`)
for (const [what, of, unit] of rows) {
  const [plain, encrypted] = [min.plain![of], min.encrypted![of]]
  process.stdout.write(
    `${what}: plain ${plain.toPrecision(3)} ${unit}, encrypted ${encrypted.toPrecision(3)} ${unit}, ×${(encrypted / plain).toFixed(2)}\n`
  )
}
