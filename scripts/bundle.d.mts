export declare const bundleServer: (outfile: string) => Promise<void>
