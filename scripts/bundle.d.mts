export declare const effectOutside: import("esbuild").Plugin
export declare const builtServer: string
export declare const bundleModule: (
  entry: string,
  outfile: string,
  plugins?: ReadonlyArray<import("esbuild").Plugin>,
  sourcemap?: boolean
) => Promise<void>
export declare const bundleServer: (
  outfile: string,
  plugins?: ReadonlyArray<import("esbuild").Plugin>,
  sourcemap?: boolean
) => Promise<void>
export declare const sourceServer: string
export declare const bundleSource: () => Promise<void>
export declare const bundledThreads: () => {
  readonly name: string
  readonly enforce: "pre"
  readonly load: (id: string) => Promise<string> | null
}
