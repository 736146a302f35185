/**
 * Measures a year without retention, under the default retention, and one in which engagements and leads have a retention, too:
 * `npm run bench -- retention 20`, and `npm run bench -- retention 100 POSTGRES-URL` on an empty database of the server, made for each.
 */
import { Retention } from "@lead-signals/domain"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import {
  type DayReport,
  engagementsPerMinute,
  playYear,
  postgresYear,
  sqliteYear
} from "../harness/RetentionYear.ts"

const scale = Number(process.argv[2] ?? 20)
const serverUrl = process.argv[3]
const day = 86_400_000

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** An empty database beside the one that the URL names. */
const newDatabase = async (url: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const name = `year_${randomUUID().replaceAll("-", "")}`
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

const measure = async (name: string, retention: Retention.Retention): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "retention-"))
  const store =
    serverUrl === undefined
      ? sqliteYear(join(folder, "year.sqlite"))
      : await postgresYear(await newDatabase(serverUrl), scale)
  const reports = await playYear({ store, scale, days: 365, retention }, (at) => at % 30 === 29 || at === 364)
  rmSync(folder, { recursive: true })
  process.stdout.write(
    `${name}, ${engagementsPerMinute} engagements a minute, scaled up from 1 in ${scale}\n`
  )
  const columns: ReadonlyArray<keyof DayReport> = ["events", "deliveries", "engagements", "leads"]
  for (const report of reports) {
    const counts = columns.map((column) => `${column} ${report[column].toLocaleString("en")}`)
    const { deliveries, engagementBytes, engagements, free, leadBytes, leads, outbox, whole } = report
    const each = (bytes: number, of: number): string => (bytes / of).toFixed(0)
    process.stdout.write(
      `day ${String(report.day + 1).padStart(3)}: ${megabytes(whole)}, outbox ${megabytes(outbox)}, free ${megabytes(free)}; ${counts.join(", ")}; ` +
        `bytes a delivery ${each(outbox, deliveries)}, an engagement ${each(engagementBytes, engagements)}, a lead ${each(leadBytes, leads)}, a lead with its engagements ${each(leadBytes + engagementBytes, leads)}\n`
    )
  }
}

await measure("Everything kept", Retention.keepAll)
await measure("Default", Retention.defaults)
await measure("Engagements and leads 90 days", {
  ...Retention.defaults,
  engagements: 90 * day,
  leads: 90 * day
})
