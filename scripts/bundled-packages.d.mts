export declare const bundlePackages: (folder: string) => Promise<ReadonlyMap<string, string>>
