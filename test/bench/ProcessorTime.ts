/** Processor time of processes, as Linux counts it. Other work on the machine changes it far less than it changes rates. */
import { readdirSync, readFileSync } from "node:fs"

/** Microseconds of one tick of `/proc`, whose rate is 100 a second on every platform of Node. */
const tickMicros = 10_000

interface ProcessTimes {
  readonly parent: number
  /** User and system time of the process itself, in microseconds. */
  readonly own: number
  /** The same of its children that have ended. */
  readonly ended: number
}

/** Null when there is no such process. */
const timesOf = (pid: number | string): ProcessTimes | null => {
  try {
    // The name, in parentheses, may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ").map(Number)
    return {
      parent: fields[1]!,
      own: (fields[11]! + fields[12]!) * tickMicros,
      ended: (fields[13]! + fields[14]!) * tickMicros
    }
  } catch {
    return null
  }
}

/** Microseconds that the processes have used, without their children. */
export const microsOf = (pids: ReadonlyArray<number>): number =>
  pids.reduce((sum, pid) => sum + (timesOf(pid)?.own ?? 0), 0)

/** Milliseconds that all threads of the process have run, to the microsecond. Threads that have ended are missing. */
export const preciseMillisOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6
    } catch {
      return sum
    }
  }, 0)

/** Microseconds that its children have used which have ended. */
export const microsOfEnded = (pid: number): number => timesOf(pid)?.ended ?? 0

/** The process that began this one; null when there is no such process on this machine. */
export const parentOf = (pid: number): number | null => timesOf(pid)?.parent ?? null

/** Microseconds that the process and all its children have used, also those that have ended. */
export const microsOfTree = (parent: number): number => {
  const times = timesOf(parent)
  if (times === null) return 0
  const children = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))
  return children.reduce((sum, pid) => {
    const child = timesOf(pid)
    return child?.parent === parent ? sum + child.own : sum
  }, times.own + times.ended)
}
