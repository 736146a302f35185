/** Mutations of SQL within strings and templates. What a template inserts is a part of the terms around it. */
import type ts from "typescript"
import type { TypeScript } from "../bugs/SyntaxEdit.ts"
import type { Change, Kind } from "./Mutant.ts"
import type { Rule } from "./Rule.ts"

const keywords = /\b(?:SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE|ORDER BY|LIMIT|BETWEEN|EXISTS|AND|OR)\b/
const comparison = /\b[a-z_.]+ (?:=|<|>|<=|>=|IS|IN) (?:\?|NULL|NOT|\(|[a-z])/

/** The literal's text with its delimiters blank and everything that it inserts as one name of the same length. */
const masked = (ts: TypeScript, node: ts.Node): string | null => {
  if (ts.isStringLiteralLike(node)) return ` ${node.getText().slice(1, -1)} `
  if (!ts.isTemplateExpression(node)) return null
  const start = node.getStart()
  let text = node.getText()
  for (const { expression, literal } of node.templateSpans) {
    // From the dollar sign to the closing brace.
    const [from, to] = [expression.getFullStart() - 2 - start, literal.getStart() + 1 - start]
    text = text.slice(0, from) + "x".repeat(to - from) + text.slice(to)
  }
  return ` ${text.slice(1, -1)} `
}

/** Whether the node is a literal that holds SQL. */
export const isSql = (ts: TypeScript, node: ts.Node): boolean => {
  const text = masked(ts, node)
  return text !== null && (keywords.test(text) || comparison.test(text))
}

interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
  /** How many parentheses are open before it. */
  readonly depth: number
}

const wordsOf = (text: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  let depth = 0
  for (const { 0: word, index } of text.matchAll(
    /'(?:[^']|'')*'|[A-Za-z_][\w.]*|\d+|<=|>=|<>|->>|->|\|\||==|[^\s\w]/g
  )) {
    if (word === ")") depth--
    words.push({ text: word, from: index, to: index + word.length, depth })
    if (word === "(") depth++
  }
  return words
}

const ends = new Set([
  "AND",
  "OR",
  "ORDER",
  "GROUP",
  "LIMIT",
  "UNION",
  "RETURNING",
  "HAVING",
  "WHERE",
  "JOIN",
  "LEFT",
  "WHEN",
  "THEN",
  "ELSE",
  "END",
  "BEGIN",
  "DO",
  ";"
])

type Span = readonly [from: number, to: number]

/** From a word on to where the words of its depth that end it begin. */
const spanFrom = (words: ReadonlyArray<Word>, first: number, isEnd: (word: Word) => boolean): Span | null => {
  const start = words[first]
  if (start === undefined) return null
  let last: Word | null = null
  let isBetween = false
  for (const word of words.slice(first)) {
    if (word.depth < start.depth) break
    if (word.depth === start.depth) {
      if (word.text === "BETWEEN") isBetween = true
      else if (word.text === "AND" && isBetween) isBetween = false
      else if (isEnd(word)) break
    }
    last = word
  }
  return last === null ? null : [start.from, last.to]
}

/** The ANDs of BETWEEN. */
const boundsOf = (words: ReadonlyArray<Word>): ReadonlySet<Word> => {
  const found = new Set<Word>()
  words.forEach((between, i) => {
    if (between.text !== "BETWEEN") return
    const and = words.slice(i).find(({ depth, text }) => text === "AND" && depth === between.depth)
    if (and !== undefined) found.add(and)
  })
  return found
}

const exchanged: Readonly<Record<string, string>> = {
  AND: "OR",
  OR: "AND",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "=": "<>",
  "<>": "=",
  min: "max",
  max: "min"
}

/** Works on words, without a parser of SQL. Strings that are no SQL stay as they are. */
export const sqlRules = (ts: TypeScript): ReadonlyArray<Rule> => {
  const literals: Rule = (node) => {
    const text = masked(ts, node)
    if (text === null || !isSql(ts, node)) return []
    const start = node.getStart()
    const raw = node.getText()
    const words = wordsOf(text)
    const bounds = boundsOf(words)
    const changes: Array<Change> = []
    const put = (kind: Kind, [from, to]: Span, by: string): void => {
      changes.push({ kind, from: start + from, to: start + to, put: by })
    }
    const written = ([from, to]: Span): string => raw.slice(from, to)

    const conditions: Array<Span> = []
    words.forEach((word, i) => {
      const isTerm = ["WHERE", "AND", "ON"].includes(word.text) && !bounds.has(word)
      if (!isTerm || words[i + 1]?.text === "CONFLICT") return
      const span = spanFrom(words, i + 1, ({ text: end }) => ends.has(end))
      if (span === null) return
      conditions.push(span)
      put("sql-term", span, `(${written(span)} OR TRUE)`)
    })

    words.forEach((word, i) => {
      const by = Object.hasOwn(exchanged, word.text) ? exchanged[word.text] : undefined
      const [before, after] = [words[i - 1]?.text, words[i + 1]?.text]
      const isJoining = /^(?:AND|OR)$/.test(word.text)
      if (word.text === "IS" && after === "NULL") put("sql-operator", [word.from, word.to], "IS NOT")
      if (word.text === "NOT" && ["NULL", "EXISTS", "IN"].includes(after ?? ""))
        put("sql-operator", [word.from, word.to], "")
      if (by === undefined || bounds.has(word)) return
      if (isJoining && (after === undefined || /^(?:IGNORE|REPLACE|ABORT|FAIL)$/.test(after))) return
      if (/^m(?:in|ax)$/.test(word.text) && after !== "(") return
      // Elsewhere it assigns.
      if (word.text === "=" && !conditions.some(([from, to]) => from <= word.from && word.to <= to)) return
      if (before === "|" || after === "|") return
      put("sql-operator", [word.from, word.to], by)
    })

    words.forEach((word, i) => {
      if (word.text === "ASC") put("sql-order", [word.from, word.to], "DESC")
      if (word.text === "DESC") put("sql-order", [word.from, word.to], "ASC")
      if (word.text === "ORDER" && words[i + 1]?.text === "BY") {
        const terms: Array<Span> = []
        for (let at = i + 2; at < words.length;) {
          const span = spanFrom(words, at, ({ text: end }) => end === "," || ends.has(end))
          if (span === null || words[at]!.depth !== word.depth) break
          terms.push(span)
          const next = words.findIndex(({ from }) => from >= span[1])
          if (next < 0 || words[next]!.text !== ",") break
          at = next + 1
        }
        terms.forEach((span, term) => {
          if (written(span).includes("?")) return
          const next = terms[term + 1]
          const previous = terms[term - 1]
          if (terms.length === 1) put("sql-order", [word.from, span[1]], "")
          else if (next !== undefined) put("sql-order", [span[0], next[0]], "")
          else put("sql-order", [previous![1], span[1]], "")
          if (!/(?:ASC|DESC|x)$/.test(text.slice(...span))) put("sql-order", span, `${written(span)} DESC`)
        })
      }
      if (word.text === "LIMIT" || word.text === "OFFSET") {
        const limit = words[i + 1]
        if (limit === undefined) return
        const span: Span = [limit.from, limit.to]
        put("sql-limit", span, word.text === "LIMIT" ? `-1 + 0 * ${written(span)}` : `0 * ${written(span)}`)
      }
    })
    return changes
  }
  return [literals]
}
