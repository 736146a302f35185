/** The receiver for trying things out: as its users start it, and in this process. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll } from "vitest"
import { compileCache, nodeArguments } from "./BundledServer.ts"
import { program, startCommand } from "./CommandRun.ts"
import { root } from "./ServerProcess.ts"

const watchOutput = () => {
  let text = ""
  let hasEnded = false
  let look = (): void => {}
  return {
    end: (): void => {
      hasEnded = true
      look()
    },
    add: (chunk: unknown): void => {
      text += String(chunk)
      look()
    },
    text: () => text,
    /** Waits until the output has it. */
    until: (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        look = () => {
          if (pattern.test(text)) resolve()
          else if (hasEnded) reject(new Error(`it ended before ${pattern}: ${text}`))
        }
        look()
      })
  }
}

export const startListener = (...args: ReadonlyArray<string>) => {
  const { LEAD_SIGNALS_WEBHOOK_SECRET: _, ...env } = process.env
  const child = spawn(process.execPath, [...nodeArguments, program, "listen", ...args], {
    cwd: root,
    env: { ...env, NODE_COMPILE_CACHE: compileCache }
  })
  const exit = once(child, "exit").then(([code, signal]: Array<any>) => (code ?? signal) as number | string)
  const output = watchOutput()
  void exit.then(output.end)
  for (const stream of [child.stdout, child.stderr]) stream.on("data", output.add)
  afterAll(() => child.kill("SIGKILL"))
  return {
    ...output,
    exit,
    end: (): Promise<number | string> => {
      child.kill("SIGINT")
      return exit
    }
  }
}

/** The same in this process. Only a process shows the exit code after a signal. */
export const listenHere = (...args: ReadonlyArray<string>) => {
  const output = watchOutput()
  const { ended, interrupt } = startCommand(["listen", ...args], {}, output.add)
  const exit = ended.then(({ code }) => code).finally(output.end)
  afterAll(interrupt)
  return {
    ...output,
    exit,
    end: async (): Promise<void> => {
      interrupt()
      await exit
    }
  }
}
