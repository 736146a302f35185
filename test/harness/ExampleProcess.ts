/**
 * An example as a process of its own, in the folder of its package: from its sources as its reader starts it, or from a bundle of them,
 * which starts in a fifth of the time.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleModule } from "../../scripts/bundle.mjs"
import { nodeArguments } from "./BundledServer.ts"
import { madeOnce } from "./MadeOnce.ts"

export const operatorToken = "a-token-for-the-examples"

export interface Example {
  /** Where the API is. */
  readonly url: string
  /** Sends it the signal to end, and returns how it did. */
  readonly end: () => Promise<number | null>
}

const running = new Set<ChildProcess>()

export const folderOf = (name: string): string =>
  fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))

const fromSources: ReadonlyArray<string> = ["--import", "tsx", "src/main.ts"]

/** What Node takes to run the example from a bundle. */
export const fromBundle = async (name: string): Promise<ReadonlyArray<string>> => {
  const bundle = await madeOnce(`example-${name}.mjs`, (path) =>
    bundleModule(join(folderOf(name), "src", "main.ts"), path, [], false)
  )
  return [...nodeArguments, bundle]
}

export const startExample = async (
  name: string,
  environment: Readonly<Record<string, string>> = {},
  { folder = folderOf(name), program = fromSources } = {}
): Promise<Example> => {
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: { ...process.env, PORT: "0", OPERATOR_TOKEN: operatorToken, ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  const ended = once(child, "exit").then(([code]) => code as number | null)
  let output = ""
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      output += chunk
      const found = /http:\/\/[^\s"']+/.exec(output)
      if (found !== null) resolve(found[0])
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    void ended.then((code) => reject(new Error(`${name} ended with ${code}: ${output}`)))
  })
  return {
    url,
    end: async () => {
      child.kill("SIGTERM")
      const code = await ended
      running.delete(child)
      return code
    }
  }
}

export const endAll = (): void => {
  for (const child of running) child.kill("SIGKILL")
}
