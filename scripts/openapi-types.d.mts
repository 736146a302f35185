export const consoleTypes: string
export const consoleTypesOf: (document: object) => Promise<string>
