/** What `npm start` runs: the sources as they stand, as one file that is made when they were changed. */
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundleSource, sourceServer } from "../../scripts/bundle.mjs"
import { root } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const stamp = `${sourceServer}.made-of.json`
const madeAt = (): number => statSync(sourceServer).mtimeMs

describe("the bundle of the sources", () => {
  it.runIf(isThorough)("is made when a source was changed, and left alone when none was", async () => {
    await bundleSource()
    // What was changed while it was made is not trusted: then this makes it once more.
    await bundleSource()
    const first = madeAt()
    await bundleSource()
    expect(madeAt()).toBe(first)

    const source = join(root, "packages/server/src/Variables.ts")
    const { atime, mtime } = statSync(source)
    utimesSync(source, atime, new Date(mtime.getTime() - 1000))
    try {
      await bundleSource()
      expect(madeAt()).toBeGreaterThan(first)
    } finally {
      utimesSync(source, atime, mtime)
    }
  })

  it.runIf(isThorough)("is made when it is missing, or what it was made of is", async () => {
    writeFileSync(stamp, JSON.stringify({ "packages/server/src/Gone.ts": [0, 0] }))
    await bundleSource()
    expect(Object.keys(JSON.parse(readFileSync(stamp, "utf8")))).toContain("packages/server/src/main.ts")
    writeFileSync(stamp, "{")
    await bundleSource()
    expect(existsSync(stamp) && JSON.parse(readFileSync(stamp, "utf8"))).toHaveProperty([
      "node_modules/.pnpm/lock.yaml"
    ])
  })
})
