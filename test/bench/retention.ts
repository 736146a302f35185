/** Measures a year without retention, under the default retention, and one in which engagements and leads have a retention, too: `npm run bench -- retention 20`. */
import { Retention } from "@lead-signals/domain"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DayReport, engagementsPerMinute, playYear } from "../harness/RetentionYear.ts"

const scale = Number(process.argv[2] ?? 20)
const day = 86_400_000

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const measure = async (name: string, retention: Retention.Retention): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "retention-"))
  const filename = join(folder, "year.sqlite")
  const reports = await playYear(
    { filename, scale, days: 365, retention },
    (at) => at % 30 === 29 || at === 364
  )
  rmSync(folder, { recursive: true })
  process.stdout.write(
    `${name}, ${engagementsPerMinute} engagements a minute, scaled up from 1 in ${scale}\n`
  )
  const columns: ReadonlyArray<keyof DayReport> = ["events", "deliveries", "engagements", "leads"]
  for (const report of reports) {
    const counts = columns.map((column) => `${column} ${report[column].toLocaleString("en")}`)
    process.stdout.write(
      `day ${String(report.day + 1).padStart(3)}: file ${megabytes(report.file)}, outbox ${megabytes(report.outbox)}, free ${megabytes(report.free)}; ${counts.join(", ")}\n`
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
