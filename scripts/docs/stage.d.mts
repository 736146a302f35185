/** Writes the pages of the site into `target`; answers what is wrong with their links and places. */
export const stage: (
  root: string,
  target: string
) => {
  /** The README of each package, by its path in the repository. */
  readonly packages: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  readonly sitePathOf: (path: string) => string | undefined
}
