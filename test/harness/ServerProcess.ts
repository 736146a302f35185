/** The server as its users start it: a process of its own, on a port of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { compileCache, nodeArguments } from "./BundledServer.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export const operatorToken = "operator-token-of-the-tests"

export interface ServerProcess {
  readonly child: ChildProcess
  readonly url: string
  /** All it has written to standard output, and to standard error, so far. */
  readonly out: () => string
  readonly err: () => string
  /** Sends the signal and waits for the end; answers the exit code, or the signal that ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | string>
}

const running = new Set<ChildProcess>()

/** Call once in a file that starts servers: none outlives its tests. */
export const endServersAfterTests = (): void => {
  afterAll(() => {
    for (const child of running) child.kill("SIGKILL")
  })
}

/** What `npm start` runs. */
const fromSource = ["scripts/lead-signals.mjs"]

const spawnProgram = (
  program: ReadonlyArray<string>,
  environment: Record<string, string>,
  folder: string = root,
  stderr: "pipe" | number = "pipe"
) => {
  const child = spawn(process.execPath, [...nodeArguments, ...program], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: compileCache,
      PORT: "0",
      LEAD_SIGNALS_LOG: "json",
      LEAD_SIGNALS_DRAIN_PAUSE: "0",
      ...environment
    },
    stdio: ["ignore", "pipe", stderr]
  })
  running.add(child)
  let [out, err] = ["", ""]
  child.stdout!.on("data", (chunk) => (out += chunk))
  child.stderr?.on("data", (chunk) => (err += chunk))
  const exit = once(child, "exit").then(([code, signal]: Array<any>) => {
    running.delete(child)
    return (code ?? signal) as number | string
  })
  // What it has written is read to its end only then.
  const closed = once(child, "close").then(() => exit)
  return { child, closed, exit, out: () => out, err: () => err }
}

export const spawnServer = (environment: Record<string, string>, ...args: ReadonlyArray<string>) =>
  spawnProgram([...fromSource, ...args], environment)

/** The same from a bundle, which starts sooner. */
export const spawnBundle = (program: string, environment: Record<string, string>) =>
  spawnProgram([program], environment)

/**
 * Starts a server and waits for its line `Listening on …`. `program` is a bundle of it, which may run in any folder, else its source is
 * run. `stderr`: where it writes its log instead of a pipe, a file descriptor.
 */
export const startServer = async (
  environment: Record<string, string>,
  program?: string,
  folder?: string,
  stderr?: "pipe" | number
): Promise<ServerProcess> => {
  const { child, closed, err, exit, out } = spawnProgram(
    program === undefined ? fromSource : [program],
    environment,
    folder,
    stderr
  )
  const listening = new Promise<string>((resolve) => {
    child.stdout!.on("data", () => {
      // The banner is written at once; its last part is there when the URL is.
      const url = /^Listening on (http:\S+)$/m.exec(out())?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const url = await Promise.race([
    listening,
    closed.then((code) => Promise.reject(new Error(`the server ended with ${code}: ${err()}`)))
  ])
  return {
    child,
    url,
    out,
    err,
    end: (signal) => {
      child.kill(signal)
      return exit
    }
  }
}

/** What a server that refuses to start writes to standard error. Rejects where it starts. */
export const errorsOfRefusedStart = async (
  environment: Record<string, string>,
  program: string
): Promise<string> => {
  const { child, closed, err, out } = spawnBundle(program, environment)
  child.stdout!.on("data", () => {
    if (/^Listening on /m.test(out())) child.kill("SIGKILL")
  })
  const code = await closed
  if (typeof code === "string") throw new Error(`the server started: ${out()}`)
  return err().trim()
}

export interface JsonAnswer {
  readonly status: number
  // Bodies are looked into freely here.
  readonly body: any
}

export const callJson = async (
  url: string,
  token: string,
  method = "GET",
  json?: unknown
): Promise<JsonAnswer> => {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { "content-type": "application/json" })
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) })
  })
  const text = await response.text()
  return { status: response.status, body: text === "" ? null : JSON.parse(text) }
}

/** A brand with a key and a signal on a running server. */
export const setUpBrand = async (url: string) => {
  const post = async (path: string, json: unknown) =>
    (await callJson(`${url}${path}`, operatorToken, "POST", json)).body.data
  const brand = await post("/operator/brands", { name: "B" })
  const { key } = await post(`/operator/brands/${brand.id}/keys`, {
    label: "k",
    requestsPerMinute: 1_000_000
  })
  const source = { type: "posts-with-keywords", value: "v" }
  const signal = await post(`/operator/brands/${brand.id}/signals`, { name: "S", signalType: "t", source })
  return { brandId: brand.id as string, key: key as string, signalId: signal.id as string }
}
