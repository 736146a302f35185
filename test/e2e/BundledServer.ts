/** The server as one file, as it is built: it starts in a third of the time, which a test that starts it often is glad of. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { bundleServer as bundleTo } from "../../scripts/bundle.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))

let number = 0

/** Below the tests, where the native module is found by its name. Answers the path; gone after the tests of the file. */
export const bundleServer = async (): Promise<string> => {
  const outfile = join(root, "test", ".bundle", `server-${process.pid}-${++number}.mjs`)
  afterAll(() => {
    for (const file of [outfile, `${outfile}.map`]) rmSync(file, { force: true })
  })
  await bundleTo(outfile)
  return outfile
}
