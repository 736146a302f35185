/** The receiver for trying things out, as its users start it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll } from "vitest"
import { compileCache, nodeArguments } from "./BundledServer.ts"
import { program } from "./CommandRun.ts"
import { root } from "./ServerProcess.ts"

export const startListener = (...args: ReadonlyArray<string>) => {
  const { LEAD_SIGNALS_WEBHOOK_SECRET: _, ...env } = process.env
  const child = spawn(process.execPath, [...nodeArguments, program, "listen", ...args], {
    cwd: root,
    env: { ...env, NODE_COMPILE_CACHE: compileCache }
  })
  let text = ""
  let look = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk
      look()
    })
  }
  const exit = once(child, "exit").then(([code, signal]: Array<any>) => (code ?? signal) as number | string)
  void exit.then(() => look())
  afterAll(() => child.kill("SIGKILL"))
  return {
    exit,
    text: () => text,
    /** Waits until its output has it. */
    until: (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        look = () => {
          if (pattern.test(text)) resolve()
          else if (child.exitCode !== null) reject(new Error(`it ended before ${pattern}: ${text}`))
        }
        look()
      }),
    kill: () => child.kill("SIGKILL"),
    end: (): Promise<number | string> => {
      child.kill("SIGINT")
      return exit
    }
  }
}
