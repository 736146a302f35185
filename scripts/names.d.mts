/** What is wrong with the names and comments in the text of a file, each with its line; the path says which rules hold. */
export function wrongNames(path: string, text: string): Array<string>
