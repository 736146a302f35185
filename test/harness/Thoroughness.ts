/**
 * How long generated campaigns are: `npm test`, which must stay short, runs a part of them, and `npm run test:thorough` all of them,
 * as continuous integration does.
 */
export const isThorough = process.env["THOROUGH_TESTS"] === "true"

/** The number of generated cases to run: all of them, or the first of them. */
export const cases = (all: number): number => (isThorough ? all : Math.ceil(all / 20))
