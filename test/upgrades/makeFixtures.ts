/**
 * Makes the fixtures of released versions by the code of their commits: `node scripts/run.mjs test/upgrades/makeFixtures.ts [sqlite|postgres]
 * [VERSION…]`. Without versions it makes those that are missing. CONTRIBUTING.md says when.
 */
import Database from "better-sqlite3"
import { execFileSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { findPostgres } from "../harness/PostgresBinaries.ts"
import { createPostgresServer } from "../harness/PostgresServer.ts"
import { checkOut, operatorToken, startRelease } from "./EarlierRelease.ts"
import { type Answers, answersOf, type Call, fill, fillMore, isSettled } from "./ReleaseContent.ts"
import { commits, fixturesOf, type Kind, writeFixtures } from "./ReleasedVersions.ts"

/** A receiver that takes posts to `/`, fails those to `/broken`, and wants no more at `/gone`. */
const startReceiver = async () => {
  const statuses: Readonly<Record<string, number>> = { "/": 204, "/gone": 410 }
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => response.writeHead(statuses[request.url!] ?? 500).end("no “luck” today"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const callOf =
  (url: string): Call =>
  async (method, path, token, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : null }
  }

/** Lets a server of the sources in the folder fill the database, and answers what it says of it. */
const made = async (folder: string, database: string): Promise<Answers> => {
  const receiver = await startReceiver()
  const settings = { LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8" }
  const dying = await startRelease(folder, database, { ...settings, LEAD_SIGNALS_WEBHOOK_RETRY: "1" })
  const filled = await fill(callOf(dying.url), operatorToken, receiver.url)
  while (!(await isSettled(callOf(dying.url), operatorToken, filled))) await sleep(200)
  await dying.stop()
  const patient = await startRelease(folder, database, {
    ...settings,
    LEAD_SIGNALS_WEBHOOK_RETRY: "3600,3600"
  })
  const call = callOf(patient.url)
  await fillMore(call, operatorToken, filled)
  while (!(await isSettled(call, operatorToken, filled))) await sleep(200)
  const answers = await answersOf(call, operatorToken, filled)
  await patient.stop()
  receiver.server.close()
  return answers
}

const makeSqlite = async (sources: string, folder: string) => {
  const filename = join(folder, "leads.sqlite")
  const answers = await made(sources, filename)
  const db = new Database(filename)
  db.pragma("wal_checkpoint(TRUNCATE)")
  db.close()
  return { answers, content: readFileSync(filename) }
}

const makePostgres = async (sources: string) => {
  const server = await createPostgresServer()
  try {
    const answers = await made(sources, server.url())
    const dump = execFileSync(
      join(findPostgres()!.folder, "pg_dump"),
      ["--schema=lead_signals", "--no-owner", "--no-privileges", "--rows-per-insert=50", server.url()],
      { encoding: "utf8", maxBuffer: 1 << 28 }
    )
    // Lines for psql alone.
    return { answers, content: Buffer.from(dump.replaceAll(/^\\(?:un)?restrict .*\n/gm, "")) }
  } finally {
    await server.remove()
  }
}

const [kindGiven, ...versionsGiven] = process.argv.slice(2)
for (const kind of ["sqlite", "postgres"] as const satisfies ReadonlyArray<Kind>) {
  if (kindGiven !== undefined && kindGiven !== kind) continue
  const fixtures = new Map(fixturesOf(kind))
  const versions = versionsGiven.map(Number)
  for (const [i, commit] of commits[kind].entries()) {
    const version = i + 1
    if (commit === null) continue
    if (versions.length > 0 ? !versions.includes(version) : fixtures.has(version)) continue
    const folder = mkdtempSync(join(tmpdir(), "lead-signals-fixture-"))
    try {
      const sources = join(folder, "sources")
      checkOut(commit, sources)
      fixtures.set(version, await (kind === "sqlite" ? makeSqlite(sources, folder) : makePostgres(sources)))
      process.stdout.write(`${kind} ${version}: made by ${commit.slice(0, 7)}\n`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  process.stdout.write(`${kind}: ${writeFixtures(kind, fixtures)} bytes\n`)
}
