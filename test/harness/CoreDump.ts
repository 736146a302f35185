/** What a kernel writes of a process that crashes. */
import { spawnSync } from "node:child_process"
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"

const pattern = ((): string => {
  try {
    return readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim()
  } catch {
    return ""
  }
})()

/**
 * Why no core of a process can be had here; null where one can. Kernels may hand cores to a program, or write them where nobody else finds
 * them; `prlimit`, of util-linux, allows a process its core.
 */
export const withoutCores: string | null =
  process.platform !== "linux"
    ? "they are had on Linux alone"
    : !/^[^|/]+$/.test(pattern)
      ? `the kernel does not write them into a process's folder (core_pattern is "${pattern}")`
      : spawnSync("prlimit", ["--version"]).status !== 0
        ? "there is no prlimit"
        : spawnSync("sh", ["-c", "ulimit -c unlimited"]).status !== 0
          ? "the limit of their size can't be raised"
          : null

if (withoutCores !== null) console.warn(`SKIPPED: tests that look into cores: ${withoutCores}.`)

/** Sets how large a core of the process may become, in bytes. */
export const limitCore = (pid: number, limit: 0 | "unlimited"): void => {
  // The owner of a process may do that, and root without further rights may not.
  const { gid, uid } = statSync(`/proc/${pid}`)
  const asOwner = uid === process.getuid?.() ? {} : { uid, gid }
  const { status, stderr } = spawnSync("prlimit", [`--pid=${pid}`, `--core=${limit}:${limit}`], {
    ...asOwner,
    cwd: "/",
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`prlimit: ${stderr}`)
}

/**
 * Ends the process by SIGABRT, as a crash does, and answers the path of its core; null where it left none. The process works in the folder,
 * in which no core lies. `ended` resolves when the process is gone.
 */
export const abort = async (
  pid: number,
  folder: string,
  ended: () => Promise<unknown>
): Promise<string | null> => {
  process.kill(pid, "SIGABRT")
  await ended()
  const name = readdirSync(folder).find((each) => /^core(?:\.\d+)?$/.test(each))
  return name === undefined ? null : join(folder, name)
}

const partBytes = 2 ** 26

/** The file in parts, as it may be larger than memory. Each begins with the last bytes of the one before, so that no text is cut apart. */
export function* partsOf(file: string, overlap = 200): Generator<Buffer> {
  const bytes = Buffer.alloc(partBytes)
  const fd = openSync(file, "r")
  try {
    for (let at = 0; ; at += partBytes - overlap) {
      const length = readSync(fd, bytes, 0, partBytes, at)
      yield bytes.subarray(0, length)
      if (length < partBytes) return
    }
  } finally {
    closeSync(fd)
  }
}
