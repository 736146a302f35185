/**
 * Makes the fixtures of released versions by the code of their commits: `node scripts/run.mjs test/upgrades/makeFixtures.ts [KIND] [VERSION…]`, a kind
 * being `sqlite`, `postgres`, or one of them with `-encrypted`. Without versions it makes those that are missing. CONTRIBUTING.md says when.
 */
import Database from "better-sqlite3"
import { execFileSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { findPostgres } from "../harness/PostgresBinaries.ts"
import { createPostgresServer } from "../harness/PostgresServer.ts"
import { checkOut, operatorToken, startRelease } from "./EarlierRelease.ts"
import { type Answers, answersOf, type Call, fill, fillMore, isSettled } from "./ReleaseContent.ts"
import {
  commits,
  type Fixture,
  fixtureKey,
  fixturesOf,
  type Kind,
  writeFixtures
} from "./ReleasedVersions.ts"

/** A receiver that takes posts to most paths, fails those to `/broken` and `/ordered`, and wants no more at `/gone`. */
const startReceiver = async () => {
  const statuses: Readonly<Record<string, number>> = {
    "/": 204,
    "/batched": 204,
    "/cloudevents": 204,
    "/gone": 410
  }
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => response.writeHead(statuses[request.url!] ?? 500).end("no “luck” today"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const callOf =
  (url: string): Call =>
  async (method, path, token, body, given) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...given
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : null }
  }

/** Lets a server of the sources in the folder fill the database, and answers what it says of it. */
const made = async (folder: string, database: string, isEncrypted: boolean): Promise<Answers> => {
  const receiver = await startReceiver()
  const settings = {
    LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
    ...(isEncrypted ? { LEAD_SIGNALS_ENCRYPTION_KEY: fixtureKey } : {})
  }
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

const makeSqlite = async (sources: string, folder: string, isEncrypted: boolean): Promise<Fixture> => {
  const filename = join(folder, "leads.sqlite")
  const answers = await made(sources, filename, isEncrypted)
  if (!isEncrypted) {
    const db = new Database(filename)
    db.pragma("wal_checkpoint(TRUNCATE)")
    db.close()
  }
  if (existsSync(`${filename}-wal`)) throw new Error("the server left a log")
  const removals = `${filename}-removals`
  return {
    answers,
    content: readFileSync(filename),
    removals: existsSync(removals) ? readFileSync(removals) : Buffer.alloc(0)
  }
}

const makePostgres = async (sources: string, isEncrypted: boolean): Promise<Fixture> => {
  const server = await createPostgresServer()
  try {
    const answers = await made(sources, server.url(), isEncrypted)
    const dump = execFileSync(
      join(findPostgres()!.folder, "pg_dump"),
      ["--schema=lead_signals", "--no-owner", "--no-privileges", "--rows-per-insert=50", server.url()],
      { encoding: "utf8", maxBuffer: 1 << 28 }
    )
    // Lines for psql alone.
    const content = Buffer.from(dump.replaceAll(/^\\(?:un)?restrict .*\n/gm, ""))
    return { answers, content, removals: Buffer.alloc(0) }
  } finally {
    await server.remove()
  }
}

const [kindGiven, ...versionsGiven] = process.argv.slice(2)
for (const kind of Object.keys(commits) as ReadonlyArray<Kind>) {
  if (kindGiven !== undefined && kindGiven !== kind) continue
  const isEncrypted = kind.endsWith("-encrypted")
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
      const fixture = kind.startsWith("sqlite")
        ? await makeSqlite(sources, folder, isEncrypted)
        : await makePostgres(sources, isEncrypted)
      fixtures.set(version, fixture)
      process.stdout.write(`${kind} ${version}: made by ${commit.slice(0, 7)}\n`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  // A version that is left out from now on loses its fixture.
  for (const version of fixtures.keys())
    if ((commits[kind][version - 1] ?? null) === null) fixtures.delete(version)
  process.stdout.write(`${kind}: ${writeFixtures(kind, fixtures)} bytes\n`)
}
