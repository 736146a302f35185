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

/** Answers the path of a new file at each call, `name-1.sqlite` and so on, in the given folder; nothing is there yet. */
export const filesIn = (folder: string, name: string): (() => string) => {
  let made = 0
  return () => join(folder, `${name}-${++made}.sqlite`)
}

export const temporaryFile = (name: string): string =>
  join(mkdtempSync(join(tmpdir(), "lead-signals-")), name)
