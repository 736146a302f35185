/** Bugs that show in bodies that come in pieces or slowly, and in the longest texts. */
import { type Bug, bugsIn } from "./Bug.ts"

/** Planted by people who did not know the rules, and missed until these inputs were sent. */
export const inArrivals: ReadonlyArray<Bug> = [
  bugsIn("http", "ObservationLines")(
    "array-behind-the-first-piece",
    "only the first piece of a body of lines is looked at for an array",
    {
      in: "Opening.look",
      given: ["const $byte = $bytes[$at]!"],
      insert: "if ($bytes.length > 0) this.isBegun = true",
      before: "return Either.right($bytes)"
    }
  ),
  bugsIn("http", "BodyPace")("one-minute-for-all-lines", "the time waited for a line counts for the next", {
    in: "Pace.restart",
    drop: "this.waitedMillis = 0"
  }),
  bugsIn("domain", "Batches")("batch-bound-in-code-units", "the size of a batch counts UTF-16 code units", {
    in: "fitting",
    find: "utf8ToBytes($body).length",
    put: "$body.length"
  })
]
