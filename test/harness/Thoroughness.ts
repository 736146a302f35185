/**
 * How long generated campaigns are: `npm test`, which must stay short, runs a part of them, and `npm run test:thorough` all of them,
 * as continuous integration does.
 */
const isWanted = process.env["THOROUGH_TESTS"] === "true"

/** Milliseconds since 1970 after which files of a thorough run begin in their short form. */
const until = Number(process.env["THOROUGH_TESTS_UNTIL"] || Number.POSITIVE_INFINITY)

/** Whether the file of tests that is loaded now has its long form. */
export let isThorough = isWanted && Date.now() < until

/** Decides anew for the file of tests that is loaded next: files share this module. Answers whether it lost its long form. */
export const isShortenedFromNow = (): boolean => {
  isThorough = isWanted && Date.now() < until
  return isWanted && !isThorough
}

/** Has a path a line, in the folder of a run: the files that lost their long form. */
export const shortenedFiles = "shortened-files"

/** The number of generated cases to run: all of them, or the first of them. */
export const cases = (all: number): number => (isThorough ? all : Math.ceil(all / 20))
