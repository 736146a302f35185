/** An example as its reader starts it: a process of its own, from the folder of its package. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

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

export const startExample = async (
  name: string,
  environment: Readonly<Record<string, string>> = {},
  folder = folderOf(name)
): Promise<Example> => {
  const child = spawn(process.execPath, ["--import", "tsx", "src/main.ts"], {
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
