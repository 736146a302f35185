export interface InstalledNode {
  readonly version: string
  readonly binary: string
}
export declare const minimumNode: string
export declare const isSupported: (version: string) => boolean
export declare const installedNode: (root: string, line: string) => InstalledNode | null
export declare const environmentWith: (binary: string) => Record<string, string | undefined>
