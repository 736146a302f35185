/** Statements as they are sent: in the schema of the store, and under a name when the server may keep them prepared. */
import { createHash } from "node:crypto"
import pg from "pg"

/** A statement's text in the store's schema, and the name under which a connection prepares it. */
export interface StatementText {
  readonly text: string
  readonly name?: string
}

/** Statements that one connection keeps prepared at most; further texts are sent without a name. */
const maxPrepared = 1000

/** A schema's name as an identifier of SQL. */
export const quoted = (schema: string): string => pg.escapeIdentifier(schema)

/** Replaces the schema in the text; statements are written with `lead_signals`. */
export const inSchema = (text: string, schema: string): string =>
  schema === "lead_signals" ? text : text.replaceAll(/\blead_signals\./g, () => `${quoted(schema)}.`)

/** Texts of statements in the schema of the store, each made once. */
export class StatementTexts {
  private readonly known = new Map<string, StatementText>()

  private readonly schema: string
  private readonly isPrepared: boolean

  constructor(schema: string, isPrepared: boolean) {
    this.schema = schema
    this.isPrepared = isPrepared
  }

  of(text: string): StatementText {
    const found = this.known.get(text)
    if (found !== undefined) return found
    const sent = inSchema(text, this.schema)
    if (this.known.size >= maxPrepared) return { text: sent }
    const made = this.isPrepared
      ? { text: sent, name: createHash("sha256").update(sent).digest("base64url").slice(0, 22) }
      : { text: sent }
    this.known.set(text, made)
    return made
  }
}
