/** The servers under measurement, each a process of its own, built as for production. */
import { PlantedModules, type SourceChange } from "@lead-signals/simulations/bugs"
import { build } from "esbuild"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleModule, bundleServer } from "../../scripts/bundle.mjs"
import { folder } from "./Files.ts"

/** A running server; `stop` ends its process and waits for that. */
export interface Server {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** The subject's token. It is no secret: the server listens on this machine alone. */
export const operatorToken = "operator-token-of-the-benchmark"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** What `npm start` runs. */
export const commandOfServer = here("../../scripts/lead-signals.mjs")

/** Below test/node_modules, where what stays outside the bundle is found by its name. */
const bundled = async (name: string, bundleTo: (outfile: string) => Promise<unknown>): Promise<string> => {
  const outfile = join(folder, `${name}.${process.pid}.mjs`)
  process.on("exit", () => {
    for (const file of [outfile, `${outfile}.map`]) rmSync(file, { force: true })
  })
  await bundleTo(outfile)
  return outfile
}

const bundleReference = (outfile: string, entry = "reference/PlainServer.ts") =>
  build({
    entryPoints: [here(entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["better-sqlite3", "fastify", "pg"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    logLevel: "warning"
  })

/** Paths of the built programs: ours, and the plain reference. */
export interface Programs {
  readonly subject: string
  readonly plain: string
}

/** The server with some of its source changed. */
export const bundleChanged = (change: SourceChange): Promise<string> =>
  bundled(`without-${change.name}`, (outfile) => bundleServer(outfile, [PlantedModules.changing(change)]))

/**
 * Imports a module beside this one from a bundle, so that what it measures in this process is built as for production. From
 * sources, each thread of a store would load Node's type stripping in WebAssembly, with which V8 can abort.
 */
export const importBuilt = async <A>(name: string): Promise<A> =>
  import(await bundled(name, (outfile) => bundleModule(here(`${name}.ts`), outfile)))

/** Builds both; the files go with this process. */
export const bundlePrograms = async (): Promise<Programs> => ({
  subject: await bundled("subject", bundleServer),
  plain: await bundled("plain", bundleReference)
})

/** A server of `reference` that does what a shape's requests can't do without, and nothing else. */
export type Floor = "PagesAlone" | "DetailsAlone"

/** Builds one program of the folder `reference`. */
export const bundleFloor = (floor: Floor): Promise<string> =>
  bundled(floor, (outfile) => bundleReference(outfile, `reference/${floor}.ts`))

/** The server, its reference on Postgres, and one node of several. */
export const bundlePostgresPrograms = async () => ({
  subject: await bundled("subject", bundleServer),
  plain: await bundled("plain-postgres", (outfile) =>
    bundleReference(outfile, "reference/PlainPostgresServer.ts")
  ),
  node: await bundled("node", (outfile) => bundleModule(here("postgres/Node.ts"), outfile))
})

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill("SIGTERM")
  const late = setTimeout(() => child.kill("SIGKILL"), 15_000)
  await exit
  clearTimeout(late)
}

const running = new Set<ChildProcess>()

/** However the run ends, no server outlives it. */
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

/** Resolves when the server says where it listens. */
export const start = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): Promise<Server> => {
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_ENV: "production",
      PORT: "0",
      ...environment
    },
    // Standard error holds a line a request: it is written, to where it costs nothing to keep.
    stdio: ["ignore", "pipe", process.env["BENCH_DEBUG"] === undefined ? "ignore" : "inherit"]
  })
  running.add(child)
  child.once("exit", () => running.delete(child))
  let out = ""
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on("data", (chunk) => {
      out += chunk
      const found = /^Listening on (http:\S+)$/m.exec(out)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once("exit", (code, signal) =>
      reject(new Error(`a server ended with ${code ?? signal}; BENCH_DEBUG=1 shows what it wrote`))
    )
  })
  return { url, pid: child.pid!, stop: () => stop(child) }
}

const subjectEnvironment = (filename: string): Readonly<Record<string, string>> => ({
  LEAD_SIGNALS_DATABASE: filename,
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_LOG: "json",
  LEAD_SIGNALS_RATE_LIMIT: "1000000",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
})

/** On any free port, unless it is given one. */
export const startSubject = (
  { subject }: Pick<Programs, "subject">,
  filename: string,
  port = 0
): Promise<Server> =>
  start([...nodeOptions(), subject], { ...subjectEnvironment(filename), PORT: String(port) })

/** The plain reference over a SQLite file. */
export const startPlain = ({ plain }: Programs, filename: string): Promise<Server> =>
  start([plain], { DATABASE: filename })

/** `program` is that of `bundleFloor`. */
export const startFloor = (program: string, filename: string): Promise<Server> =>
  start([program], { DATABASE: filename })

/** The plain reference over a Postgres database. */
export const startPlainPostgres = ({ plain }: Pick<Programs, "plain">, url: string): Promise<Server> =>
  start([plain], { DATABASE: url })

/** Options for the node that runs the product, as for a profile: `BENCH_NODE_OPTIONS="--cpu-prof --cpu-prof-dir=…"`. */
const nodeOptions = (): ReadonlyArray<string> =>
  (process.env["BENCH_NODE_OPTIONS"] ?? "").split(" ").filter((option) => option !== "")

/** A server that sends this body with these headers. */
export const startBare = async (body: string, headers: Readonly<Record<string, string>>): Promise<Server> => {
  const child = fork(here("reference/BareServer.mjs"), { execArgv: [] })
  running.add(child)
  child.once("exit", () => running.delete(child))
  child.send({ body, headers })
  const [{ port }] = (await once(child, "message")) as [{ port: number }]
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) }
}
