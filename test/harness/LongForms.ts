/** Files of a thorough run have their short form once its time for long ones is over. `RunSetup.ts` tells of them at the end. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, inject } from "vitest"
import { isShortenedFromNow, shortenedFiles } from "./Thoroughness.ts"

if (isShortenedFromNow()) {
  beforeAll(() => {
    appendFileSync(join(inject("runFolder"), shortenedFiles), `${expect.getState().testPath ?? "?"}\n`)
  })
}
