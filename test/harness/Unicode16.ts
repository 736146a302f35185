/** Characters of Unicode 16, from the table of the domain, which a test compares with the data of Node 22. */
import { readFileSync } from "node:fs"

const table = readFileSync(
  new URL("../../packages/domain/src/text/Unicode16Table.ts", import.meta.url),
  "utf8"
)

/** For each code point, whether it is assigned. */
const assigned = new Uint8Array(0x110000)
let end = 0
const distances = /unassignedBounds =\s+"([^"]+)"/.exec(table)![1]!.split(" ")
for (const [i, distance] of [...distances, "110000"].entries()) {
  const next = end + Number.parseInt(distance, 36)
  if (i % 2 === 0) assigned.fill(1, end, next)
  end = next
}

/** Whether Unicode 16 assigns the code point. It assigns no noncharacter, as no version does. */
export const isAssigned = (code: number): boolean => assigned[code] === 1
