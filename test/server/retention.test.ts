/** Retention as an operator has it: variables, the pruning of a running server, its metrics, and the command. */
import Database from "better-sqlite3"
import { Either } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readSettings } from "@lead-signals/server/internal"
import { runCommand, runOnTerminal } from "../harness/CommandRun.ts"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { makeFile } from "../harness/MadeFile.ts"
import { raw } from "../harness/RawFile.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
const day = 86_400_000

endServersAfterTests()

const environment = (name: string) => ({
  LEAD_SIGNALS_DATABASE: join(folder, name),
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
})

/** Lets 40 days pass for all that is in the file. */
const age = (file: string): void => {
  const db = new Database(file)
  db.exec(`UPDATE event SET occurred_at = occurred_at - ${40 * day};
    UPDATE delivery SET finished_at = finished_at - ${40 * day} WHERE finished_at IS NOT NULL;
    UPDATE engagement SET tracked_at = tracked_at - ${40 * day};
    UPDATE activity_hour SET hour = hour - ${40 * 24} WHERE kind = 'engagement'`)
  db.close()
}

const count = (file: string, query: string): unknown => {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare(`SELECT count(*) FROM ${query}`).pluck().get()
  } finally {
    db.close()
  }
}

/** A file with a brand whose one engagement was delivered 40 days ago. */
const fill = async (name: string) => {
  const env = environment(name)
  const server = await startServer(env)
  const brand = await setUpBrand(server.url)
  const operator = `${server.url}/operator/brands/${brand.brandId}`
  const seen = (id: string, trackedAt?: string) => ({
    signalId: brand.signalId,
    person: { extId: "p1", name: "Ada" },
    engagement: { id, ...(trackedAt === undefined ? {} : { trackedAt }) }
  })
  await callJson(`${operator}/observations`, operatorToken, "POST", { observations: [seen("e1")] })
  await server.end("SIGTERM")
  age(env.LEAD_SIGNALS_DATABASE)
  return { env, brand, file: env.LEAD_SIGNALS_DATABASE, seen }
}

describe("the variables of retention", () => {
  it.each([
    ["DELIVERIES", "deliveries"],
    ["DEAD_LETTERS", "deadLetters"],
    ["EVENTS", "events"],
    ["ENGAGEMENTS", "engagements"],
    ["LEADS", "leads"],
    ["SUPPRESSIONS", "suppressions"]
  ] as const)(
    "LEAD_SIGNALS_RETENTION_%s sets one kind, and is refused with what it takes [RET-1, RUN-1]",
    (suffix, kind) => {
      const name = `LEAD_SIGNALS_RETENTION_${suffix}`
      const { retention } = Either.getOrThrow(readSettings({ [name]: "7d" }))
      const defaults = Either.getOrThrow(readSettings({ [name]: "" })).retention
      expect(retention).toEqual({ ...defaults, [kind]: 7 * day })
      expect(Either.getOrThrow(readSettings({ [name]: "keep" })).retention[kind]).toBeNull()
      expect(Either.getLeft(readSettings({ [name]: "7" }))).toMatchObject({
        value: `${name} takes keep, or a time from 1m to 36500d in minutes, hours or days, like 90m, 12h or 30d.`
      })
    }
  )
})

describe("a server", () => {
  it.runIf(isThorough)(
    "removes what is due in the background, says so in its metrics, and rejects what is older [RET-4, RET-5, RET-8]",
    async () => {
      const { brand, env, file, seen } = await fill("server.sqlite")
      const server = await startServer({ ...env, LEAD_SIGNALS_RETENTION_ENGAGEMENTS: "30d" })
      const metrics = async (): Promise<string> =>
        (
          await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
        ).text()
      await expect.poll(metrics).toContain("completed_timestamp")
      const page = await metrics()
      expect(page).toMatch(/^lead_signals_pruned_total\{kind="events"\} 1$/m)
      expect(page).toMatch(/^lead_signals_pruned_total\{kind="engagements"\} 1$/m)
      expect(page).toMatch(/^lead_signals_pruning_backlog_seconds\{kind="deliveries"\} 0$/m)
      // Due for ten days.
      expect(page).toMatch(/^lead_signals_pruning_backlog_seconds\{kind="events"\} 8640\d\d/m)
      expect(page).toMatch(/^lead_signals_pruning_duration_seconds_count \d/m)
      expect(count(file, "event")).toBe(1)
      const { body } = await callJson(`${server.url}/signals/leads?includeEngagements=true`, brand.key)
      expect(body.data).toMatchObject([{ name: "Ada", engagements: [] }])
      const operator = `${server.url}/operator/brands/${brand.brandId}`
      const webhook = await callJson(`${operator}/webhooks`, operatorToken, "POST", {
        url: "http://127.0.0.1:9/",
        events: ["lead2.created", "activity.detected"]
      })
      const resend = async (event: string) => {
        const json = { webhookId: webhook.body.data.id, event }
        const answer = await callJson(
          `${operator}/leads/${body.data[0].id}/resend`,
          operatorToken,
          "POST",
          json
        )
        return [answer.status, answer.body.error?.message]
      }
      expect(await resend("activity.detected")).toEqual([404, "There is no such event."])
      expect(await resend("lead2.created")).toEqual([202, undefined])
      const old = new Date(Date.now() - 40 * day).toISOString()
      const sent = await callJson(`${operator}/observations`, operatorToken, "POST", {
        observations: [seen("e1", old), seen("e2")]
      })
      expect(sent.body.data).toMatchObject([
        { outcome: "rejected", message: expect.stringContaining("within the last 30d") },
        { outcome: "recorded" }
      ])
      await server.end("SIGTERM")
    }
  )
})

describe("lead-signals prune", () => {
  it("counts what is due and leaves it with --dry-run, and removes it without [RET-9]", async () => {
    const { env, file } = await fill("prune.sqlite")
    const dry = await runCommand(["prune", "--dry-run", "--database", file], env)
    expect([dry.code, dry.out]).toEqual([0, expect.stringMatching(/^events +30d +1$/m)])
    expect(count(file, "event")).toBe(2)
    const unset = { ...env, LEAD_SIGNALS_RETENTION_EVENTS: "keep" }
    expect(JSON.parse((await runCommand(["prune", "--json"], unset)).out)).toMatchObject({
      dryRun: false,
      kept: { events: "keep", deadLetters: "90d" },
      removed: { events: 0 }
    })
    const done = JSON.parse((await runCommand(["prune", "--json"], env)).out)
    expect(done.removed).toMatchObject({ deliveries: 0, events: 1, leads: 0 })
    expect(count(file, "event")).toBe(1)
    expect(JSON.parse((await runCommand(["check", "--database", file, "--json"])).out)).toMatchObject({
      sound: true,
      problems: []
    })
  })

  it("shows on standard error how far an older file is, and prints nothing but its JSON [CLI-10, RET-9]", async () => {
    const file = join(folder, "older.sqlite")
    await makeFile(file, 2)
    raw(file, (db) => takeBackTo(db, 9))
    const { code, err, out } = await runOnTerminal(["prune", "--dry-run", "--json", "--database", file])
    expect([code, JSON.parse(out).dryRun]).toEqual([0, true])
    expect(err).toContain("bringing the database to this version")
  })

  it("is refused with one line when a variable or the file is wrong [RET-9, CLI-1]", async () => {
    const wrong = await runCommand(["prune"], {
      ...environment("none.sqlite"),
      LEAD_SIGNALS_RETENTION_LEADS: "2y"
    })
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining("LEAD_SIGNALS_RETENTION_LEADS takes keep, or")
    ])
    const missing = await runCommand(["prune"], environment("none.sqlite"))
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("There is no file")])
  })
})
