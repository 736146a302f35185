export interface Source {
  /** From the repository's root. */
  readonly path: string
  readonly text: string
}
export declare const specificationPath: string
export declare const repositorySources: () => ReadonlyArray<Source>
export declare const titlesOf: (source: Source) => ReadonlyArray<string>
export declare const regenerated: (sources: ReadonlyArray<Source>) => string
export declare const problemsOf: (sources: ReadonlyArray<Source>) => ReadonlyArray<string>
