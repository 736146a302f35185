/** Folds texts once in a transaction: a new name is stored, ranked and indexed by its folded form. */
import { Folding } from "@lead-signals/domain/pure"
import type { Connection } from "../connection/Connection.ts"

const foldedTexts = Symbol("folded texts")

/** The folded form of the text, made when the transaction first asks for it. */
export const foldOnce = (sql: Connection, text: string): string => {
  const known = sql.ofTransaction(foldedTexts, () => new Map<string, string>())
  const folded = known.get(text) ?? Folding.fold(text)
  known.set(text, folded)
  return folded
}
