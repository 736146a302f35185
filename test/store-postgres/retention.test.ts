/**
 * What a database on Postgres holds over a year under a retention.
 *
 * @slow a year of engagements, in virtual time
 */
import { Retention } from "@lead-signals/domain"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { playYear, postgresYear } from "../harness/RetentionYear.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const day = 86_400_000
const limited: Retention.Retention = { ...Retention.defaults, engagements: 90 * day, leads: 90 * day }
const scale = 200

describe.skipIf(isWithoutPostgres || !isThorough)(
  "a year at 10 engagements a minute with one webhook on Postgres",
  () => {
    it("stays within the bounds that docs/operations.md states, with autovacuum as it is unless set [RET-1, RET-4]", async () => {
      const operations = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
      const [, outbox, whole] =
        /On Postgres the same year.*?outbox stays below (\d+) MB.*?indexes below ([\d.]+) GB/s.exec(
          operations
        )!
      const [, lead, engagement] = /^\| Postgres, when they were pruned [^|]*\| +([\d,]+) \| +([\d,]+) \|$/m
        .exec(operations)!
        .map((figure) => Number(figure.replace(",", "")))
      const reports = await playYear(
        { store: await postgresYear(await newDatabase(), scale), scale, days: 365, retention: limited },
        (at) => at % 15 === 0 || at === 364
      )
      expect(Math.max(...reports.map((report) => report.outbox))).toBeLessThan(Number(outbox) * 1e6)
      expect(Math.max(...reports.map((report) => report.whole))).toBeLessThan(Number(whole) * 1e9)
      const last = reports.at(-1)!
      // The bytes of a row depend on when tables were vacuumed last.
      expect(last.leadBytes / last.leads).toBeLessThan(1.1 * lead!)
      expect(last.engagementBytes / last.engagements).toBeLessThan(1.1 * engagement!)
      expect(last.deliveries).toBeLessThan(35 * 1440 * 10 * 1.3)
      expect(last.engagements).toBeLessThan(95 * 1440 * 10)
      // Vacuumed pages are used again: the database holds no more in the end than after seven months.
      const seventh = reports.find((report) => report.day === 210)!
      expect(last.whole).toBeLessThan(seventh.whole * 1.15)
    })
  }
)
