/**
 * How long generated campaigns are: a part of them in `npm test`, which must stay short, all of them with THOROUGH_TESTS=true, as
 * continuous integration has it.
 */
export const isThorough = process.env["THOROUGH_TESTS"] === "true"

/** Of so many generated cases as many as are to be met: all of them, or the first of them. */
export const cases = (all: number): number => (isThorough ? all : Math.ceil(all / 3))
