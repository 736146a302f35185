/** What a run has covered, as strings: a seed that covers something new is kept in the corpus. */

/** The coverage keys of a run, in alphabetical order, each once. */
export const coverageKeysOf = ({
  coverageMarks
}: {
  readonly coverageMarks: Iterable<string>
}): ReadonlyArray<string> => [...new Set(coverageMarks)].sort()
