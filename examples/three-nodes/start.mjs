/**
 * Three servers on one Postgres, behind a proxy that sends each request to the next of them. In the clone, after `npm ci` or the first
 * `npm start`:
 *
 *     node examples/three-nodes/start.mjs
 *
 * LEAD_SIGNALS_DATABASE names the Postgres to use, as postgres://user:password@host:5432/name. Without it the script starts one of its own
 * from the binaries of this machine (Debian: apt-get install postgresql), in a temporary folder that it removes in the end. PORT is the
 * proxy's port, 4000 unless given. Ctrl-C stops everything.
 */
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startProxy } from "./proxy.mjs"

const server = fileURLToPath(new URL("../../scripts/lead-signals.mjs", import.meta.url))
const token = process.env.LEAD_SIGNALS_OPERATOR_TOKEN || randomBytes(18).toString("base64url")
const nodes = 3

/** What is undone in the end, the last first. */
const undo = []

const stop = async (code) => {
  while (undo.length > 0) await undo.pop()()
  process.exit(code)
}

/** Resolves when the process has ended. */
const ended = async (child, signal) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill(signal)
  await exit
}

/** The newest installed version's binaries. */
const findPostgres = () => {
  const installed = "/usr/lib/postgresql"
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(installed, version, "bin")),
    ...(process.env.PATH ?? "").split(":"),
    "/opt/homebrew/bin"
  ]
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))
}

const startPostgres = async () => {
  const binaries = findPostgres()
  if (binaries === undefined) {
    console.error(
      "There is no Postgres on this machine: install one, or set LEAD_SIGNALS_DATABASE to the URL of another."
    )
    return stop(2)
  }
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-postgres-"))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  // Postgres refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const id = (flag) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout)
  const owner = isRoot ? { uid: id("-u"), gid: id("-g") } : {}
  if (isRoot) chownSync(folder, owner.uid, owner.gid)
  const initdb = ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]
  const made = spawnSync(join(binaries, "initdb"), initdb, { ...owner, cwd: "/", encoding: "utf8" })
  if (made.status !== 0) {
    console.error(`initdb fails: ${made.stderr}`)
    return stop(1)
  }
  // Port 0 is not for Postgres: this one is free now.
  const { port, close } = await startProxy([], 0)
  await close()
  const options = [
    "-D",
    join(folder, "data"),
    "-p",
    port,
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "unix_socket_directories="
  ]
  const postgres = spawn(join(binaries, "postgres"), options.map(String), {
    ...owner,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
    // Ctrl-C reaches the whole group of a terminal; the servers stop before their database does.
    detached: true
  })
  undo.push(() => ended(postgres, "SIGINT"))
  let log = ""
  for await (const chunk of postgres.stderr) {
    log += chunk
    if (log.includes("ready to accept connections")) break
  }
  if (!log.includes("ready to accept connections")) {
    console.error(`Postgres does not start: ${log}`)
    return stop(1)
  }
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

const startServer = (database) => {
  const child = spawn(process.execPath, [server], {
    env: {
      ...process.env,
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_OPERATOR_TOKEN: token,
      LEAD_SIGNALS_DEMO: "false",
      // Webhooks may reach this machine, for trials.
      LEAD_SIGNALS_WEBHOOK_ALLOW: process.env.LEAD_SIGNALS_WEBHOOK_ALLOW || "127.0.0.0/8",
      PORT: "0"
    },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true
  })
  undo.push(() => ended(child, "SIGTERM"))
  return new Promise((resolve) => {
    let out = ""
    child.stdout.on("data", (chunk) => {
      out += chunk
      const url = /^Listening on (http:\S+)$/m.exec(out)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("exit", (code) => {
      console.error(`A server ended with ${code}.`)
      void stop(1)
    })
    undo.push(() => child.removeAllListeners("exit"))
  })
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop(0))

const database = process.env.LEAD_SIGNALS_DATABASE || (await startPostgres())
const urls = await Promise.all(Array.from({ length: nodes }, () => startServer(database)))
const { close, port } = await startProxy(urls, Number(process.env.PORT || 4000))
undo.push(close)
const url = `http://127.0.0.1:${port}`
const operator = `curl -s -w '\\n' -H "Authorization: Bearer ${token}" -H "Content-Type: application/json"`

console.log(`Listening on ${url}, for ${urls.join(", ")}

Each request goes to the next node; the header X-Node of the answer says which. Create a brand with a key:

  KEY=$(${operator} -d '{"name":"First"}' ${url}/operator/brands > /dev/null; ${operator} -d '{"label":"Mine","requestsPerMinute":6}' ${url}/operator/brands/1/keys | sed 's/.*"key":"\\([^"]*\\)".*/\\1/'); echo $KEY

Record what a person did, and read it from the other nodes:

  ${operator} -d '{"name":"Launch","signalType":"post","source":{"type":"post-url","value":"https://network.example/p/1"}}' ${url}/operator/brands/1/signals
  ${operator} -d '{"observations":[{"signalId":"1","person":{"extId":"p1","name":"Ada Abara"},"engagement":{"id":"e1","type":"comment"}}]}' ${url}/operator/brands/1/observations
  for i in 1 2 3; do curl -s -D - -H "Authorization: Bearer $KEY" "${url}/signals/leads?search=ada" | grep -iE '^(x-node|x-ratelimit-remaining)|"name"'; done

The three nodes share one budget: the key has six requests a minute.

  for i in 1 2 3 4; do curl -s -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $KEY" ${url}/signals/leads; done
`)
