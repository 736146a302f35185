/** JSON: operations by `METHOD /path`, header and component schemas by name. */
export interface Baseline {
  readonly operations: Record<string, any>
  readonly headers: Record<string, any>
  readonly schemas: Record<string, any>
  readonly components: Record<string, any>
}
export declare const baselineOf: (document: object) => Baseline
export declare const format: (baseline: Baseline) => string
export declare const minorOf: (version: string) => string
export declare const incompatibilities: (before: Baseline, after: Baseline) => ReadonlyArray<string>
