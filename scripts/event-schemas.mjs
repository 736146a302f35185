/**
 * `npm run event-schemas` writes the JSON schemas of events to docs/events, as the service serves them at /events. [FMT-4]
 *
 *   npm run event-schemas -- --check   writes nothing; lists the files that are not as they would be written, and ends with 1 where there are any
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../docs/events", import.meta.url))

/** The files of docs/events that differ from the documents, given by their names. */
export const staleEventSchemas = (documents) => {
  const kept = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  const isStale = (name) =>
    !kept.includes(name) || readFileSync(join(folder, name), "utf8") !== textOf(documents[name])
  return [...Object.keys(documents).filter(isStale), ...kept.filter((name) => !(name in documents))].map(
    (name) => `docs/events/${name}`
  )
}

const textOf = (document) => `${JSON.stringify(document, null, 2)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await import("tsx")
  const { eventDocuments, openApi } = await import("../packages/http/src/index.ts")
  const documents = eventDocuments(openApi())
  const stale = staleEventSchemas(documents)
  if (process.argv[2] === "--check") {
    for (const path of stale)
      process.stdout.write(`${path} is not up to date: npm run event-schemas writes it\n`)
    process.exitCode = stale.length === 0 ? 0 : 1
  } else {
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(folder)) if (!(name in documents)) rmSync(join(folder, name))
    for (const [name, document] of Object.entries(documents))
      writeFileSync(join(folder, name), textOf(document))
    process.stdout.write(`${stale.length === 0 ? "Nothing has changed" : `Wrote ${stale.join(", ")}`}\n`)
  }
}
