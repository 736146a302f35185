/** Folders for a test's files, gone when the tests of the file are through. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Answers a new folder at each call, numbered, in the given one. */
export const foldersIn = (folder: string): (() => string) => {
  let made = 0
  return () => {
    const next = join(folder, `folder-${++made}`)
    mkdirSync(next)
    return next
  }
}

export const temporaryFile = (name: string): string =>
  join(mkdtempSync(join(tmpdir(), "lead-signals-")), name)
