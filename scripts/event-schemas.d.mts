export declare const staleEventSchemas: (documents: Readonly<Record<string, object>>) => ReadonlyArray<string>
