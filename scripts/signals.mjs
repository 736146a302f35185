/** A root script ends with the npm, pnpm or launcher that started it, and what it has started ends with it. */
import { execFileSync } from "node:child_process"

const lookMillis = 500

/**
 * Ends this process as SIGTERM does when its parent is gone: npm forwards SIGTERM and SIGINT, but to a shell between them,
 * which may die of it without passing it on; and a SIGKILL is never forwarded. Only below npm or pnpm: a program that was
 * started by hand may outlive its terminal. On Windows a process never changes its parent: nothing happens there.
 */
export const endWithParent = () => {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, lookMillis)
  timer.unref()
}

/** The processes below this one, the nearest first. Empty where there is no `ps`. */
const descendants = () => {
  let table
  try {
    table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
  } catch {
    return []
  }
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  const found = [process.pid]
  for (const ancestor of found) for (const [pid, parent] of rows) if (parent === ancestor) found.push(pid)
  return found.slice(1)
}

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }
const graceMillis = 5000

const signalAll = (pids, signal) => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended already.
    }
  }
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Ends what this process has started, at last by SIGKILL, and then exits with the code. */
export const endWithDescendants = (code) => {
  const pids = descendants()
  signalAll(pids, "SIGTERM")
  const startedAt = Date.now()
  const timer = setInterval(() => {
    const left = pids.filter(isAlive)
    if (left.length > 0 && Date.now() - startedAt < graceMillis) return
    clearInterval(timer)
    signalAll(left, "SIGKILL")
    process.exit(code)
  }, 50)
}

/** Exits as shells do after the signal. */
const endAll = (signal) => endWithDescendants(128 + numbers[signal])

/** A signal that comes again within this time is the same one: a terminal sends Ctrl+C to npm and to what npm runs, and npm forwards its own. */
const sameSignalMillis = 500

/**
 * The first SIGTERM, SIGINT or SIGHUP is left to the program's own handler; where it has none, this process ends with all it
 * has started. A second one, half a second later or more, ends them in any case.
 */
export const handleSignals = () => {
  for (const signal of Object.keys(numbers)) {
    let firstAt = null
    process.on(signal, () => {
      const isFirst = firstAt === null
      firstAt ??= Date.now()
      if (isFirst ? process.listenerCount(signal) === 1 : Date.now() - firstAt > sameSignalMillis)
        endAll(signal)
    })
  }
}
