export interface Walk {
  readonly title: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly reason: string; readonly diff: string }>
  /** For `git apply`. */
  readonly patch: string
  /** How many files of the product the patch touches, and how many of the tests. */
  readonly touched: readonly [product: number, tests: number]
  /** The same as the text says it; null where it says nothing. */
  readonly stated: readonly [product: number, tests: number] | null
}

/** The walks of docs/extending.md, in its order. */
export declare const walks: () => ReadonlyArray<Walk>
