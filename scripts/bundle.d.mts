export declare const builtServer: string
export declare const bundleServer: (outfile: string) => Promise<void>
export declare const sourceServer: string
export declare const bundleSource: () => Promise<void>
