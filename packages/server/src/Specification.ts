/** The text of docs/specification.md. The one-file server has another module in place of this one, which holds it. */
import { readFile } from "node:fs/promises"

/** Reads the page as it stands in the clone. */
export const loadSpecification = (): Promise<string> =>
  readFile(new URL("../../../docs/specification.md", import.meta.url), "utf8")
