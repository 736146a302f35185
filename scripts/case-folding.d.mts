export declare const caseFoldings: () => Array<[from: string, to: string]>
export declare const caseFoldingSource: () => Promise<string>
