/** A disk of a few megabytes, to be filled up. Only root may mount one. */
import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

export interface SmallDisk {
  readonly folder: string
  /** Leaves no room for a byte more. */
  readonly fill: () => void
  readonly free: () => void
}

/** Null where none can be mounted. */
export const smallDisk = (megabytes: number): SmallDisk | null => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null
  const folder = join(temporaryFolder(), "disk")
  mkdirSync(folder)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" })
  } catch {
    return null
  }
  afterAll(() => {
    execFileSync("umount", ["--lazy", folder], { stdio: "ignore" })
  })
  const filler = join(folder, "filler")
  const fill = (): void => {
    const fd = openSync(filler, "w")
    try {
      for (let size = 1 << 20; size > 0;) {
        try {
          writeSync(fd, Buffer.alloc(size))
        } catch (failure) {
          if ((failure as NodeJS.ErrnoException).code !== "ENOSPC") throw failure
          size >>= 1
        }
      }
    } finally {
      closeSync(fd)
    }
  }
  return { folder, fill, free: () => rmSync(filler) }
}
