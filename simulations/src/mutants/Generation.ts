/** All mutants of a module, in the order of its text. */
import { createHash } from "node:crypto"
import type ts from "typescript"
import type { TypeScript } from "../bugs/SyntaxEdit.ts"
import { conditionRules } from "./ConditionRules.ts"
import { literalRules } from "./LiteralRules.ts"
import { type Change, type Mutant, type MutatedPackage, packages } from "./Mutant.ts"
import type { Rule } from "./Rule.ts"
import { isOmitted, omittedModules } from "./Scope.ts"
import { sqlRules } from "./SqlRules.ts"
import { statementRules } from "./StatementRules.ts"

/** How many characters of the text around a change stand in its diff. */
const context = 40

const inOneLine = (text: string): string => text.replace(/\s+/g, " ")

const diffOf = (text: string, { from, put, to }: Change) => {
  const lines = inOneLine(text.slice(from, to))
  const change = `[-${lines}-]{+${inOneLine(put)}+}`
  const before = inOneLine(text.slice(Math.max(0, from - 3 * context), from)).slice(-context)
  const after = inOneLine(text.slice(to, to + 3 * context)).slice(0, context)
  return { change, diff: (before + change + after).trim() }
}

/** The hash that identifies the text of a module. */
const sourceHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const packageOf = (file: string): MutatedPackage => {
  const name = file.split("/")[1]!
  const found = packages.find((each) => each === name)
  if (found === undefined) throw new Error(`${file} is in no package that is mutated`)
  return found
}

/** How ids name a module. */
export const moduleOf = (file: string): string =>
  file
    .replace(/^packages\//, "")
    .replace("/src/", "/")
    .replace(/\.ts$/, "")

/** Makes the mutants of modules; `file` is a path from the root of the repository. */
export const mutantGenerator = (ts: TypeScript) => {
  const rules = [...conditionRules(ts), ...statementRules(ts), ...literalRules(ts)]
  const rulesOfSql = sqlRules(ts)

  /** What a declaration is called, as far as it names a function or a constant of a module. */
  const declaredName = (node: ts.Node): string | null => {
    const { name } = node as { readonly name?: ts.Node }
    if (name === undefined || !(ts.isIdentifier(name) || ts.isStringLiteralLike(name))) return null
    if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isPropertyDeclaration(node)) return name.text
    if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) {
      const isOfModule = ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent)
      const value = node.initializer
      return isOfModule || (value !== undefined && (ts.isArrowFunction(value) || ts.isCallExpression(value)))
        ? name.text
        : null
    }
    return null
  }

  const generate = (file: string, text: string): ReadonlyArray<Mutant> => {
    if (omittedModules.has(file)) return []
    const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    const packageName = packageOf(file)
    const rulesOfModule: ReadonlyArray<Rule> =
      packageName === "store-sqlite" ? [...rules, ...rulesOfSql] : rules
    const isLeftOut = isOmitted(ts, file)
    const source = sourceHash(text)
    const module = file
      .replace(/^packages\//, "")
      .replace("/src/", "/")
      .replace(/\.ts$/, "")
    const ordinals = new Map<string, number>()
    const seen = new Set<string>()
    const mutants: Array<Mutant> = []

    const isUnseen = ({ from, put, to }: Change): boolean => {
      const key = JSON.stringify([from, to, put])
      const isNew = !seen.has(key) && text.slice(from, to) !== put
      seen.add(key)
      return isNew
    }

    /** Whether the change leaves out, or exchanges, a part of the node in which nothing is mutated. */
    const isOfLeftOut = (node: ts.Node, { from, kind, to }: Change): boolean =>
      ["arguments", "element", "property"].includes(kind) &&
      ts.forEachChild(
        node,
        (child) => from <= child.getStart() && child.getEnd() <= to && isLeftOut(child)
      ) === true

    const visit = (node: ts.Node, path: string): void => {
      if (isLeftOut(node)) return
      const name = declaredName(node)
      const here = name === null ? path : path === "" ? name : `${path}.${name}`
      for (const rule of rulesOfModule) {
        for (const change of rule(node)) {
          if (isOfLeftOut(node, change) || !isUnseen(change)) continue
          const place = `${module}:${here === "" ? "module" : here}:${change.kind}`
          const ordinal = (ordinals.get(place) ?? 0) + 1
          ordinals.set(place, ordinal)
          mutants.push({
            ...change,
            id: `${place}:${ordinal}`,
            package: packageName,
            file,
            source,
            ...diffOf(text, change)
          })
        }
      }
      ts.forEachChild(node, (child) => visit(child, here))
    }
    for (const statement of parsed.statements) visit(statement, "")
    return mutants
  }

  return { generate }
}
