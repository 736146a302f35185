export declare const caseFoldingSource: () => Promise<string>
