export declare const minimumNode: string
export declare const isSupported: (version: string) => boolean
