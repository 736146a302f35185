export declare const unicodeVersion: string
export declare const unicode16Source: () => Promise<string>
