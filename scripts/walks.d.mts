export interface Walk {
  readonly title: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly reason: string; readonly diff: string }>
  /** For `git apply`: raises `apiVersion` from the version that the folder has. */
  readonly patch: string
  /** The same patch where the walk was made and the folder has its version: applies in reverse. */
  readonly madePatch: string
  /** How many files of the product the patch touches, and how many of the tests. */
  readonly touched: readonly [product: number, tests: number]
  /** The same as the text says it; null where it says nothing. */
  readonly stated: readonly [product: number, tests: number] | null
}

/** The walks of the folder's docs/extending.md, in its order; of this repository by default. */
export declare const walks: (folder?: string) => ReadonlyArray<Walk>

/** Writes the commit's diffs into the page. Throws when the page does not say why a file is touched. */
export declare const updateWalk: (title: string, commit: string, folder?: string) => void
