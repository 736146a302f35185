export interface Source {
  /** From the repository's root. */
  readonly path: string
  readonly text: string
}
export declare const specificationPath: string
export declare const repositorySources: () => ReadonlyArray<Source>
export declare const titlesOf: (source: Source) => ReadonlyArray<string>
export declare const regenerated: (sources: ReadonlyArray<Source>) => string
/** Runs the command with these words and answers its exit code. */
export declare const main: (words: ReadonlyArray<string>, sources?: ReadonlyArray<Source>) => number
export declare const problemsOf: (sources: ReadonlyArray<Source>) => ReadonlyArray<string>
