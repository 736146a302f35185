/**
 * A planted bug: a small wrong version of production code, as a change of its source. It is put in while the simulator is
 * bundled, so that what runs is the real thing but for it. That the oracles find these is what makes "held" worth something.
 */
export interface Edit {
  /** Stands exactly once in the file. */
  readonly replace: string
  readonly by: string
}

export interface Bug {
  readonly name: string
  /** What is wrong with it, in one line. */
  readonly about: string
  /** From the root of the repository. */
  readonly file: string
  readonly edits: ReadonlyArray<Edit>
  /** The store that has to be there for it to show. */
  readonly store: "memory" | "sqlite"
}

/** Bugs of one file. */
export const bugsIn =
  (file: string, store: Bug["store"] = "memory") =>
  (name: string, about: string, replace: string, by: string, ...more: ReadonlyArray<Edit>): Bug => ({
    name,
    about,
    file,
    edits: [{ replace, by }, ...more],
    store
  })
