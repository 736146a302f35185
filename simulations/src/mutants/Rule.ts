/** A rule of mutation: the changes that it makes of one node, and what the rules share. */
import type ts from "typescript"
import type { TypeScript } from "../bugs/SyntaxEdit.ts"
import type { Change, Kind } from "./Mutant.ts"

/** Looks at one node, without its children; an empty list where it has nothing to change. */
export type Rule = (node: ts.Node) => ReadonlyArray<Change>

/** Makes changes of nodes, in parentheses where the place needs them. */
export const changesOf = (ts: TypeScript) => {
  const isSimple = (node: ts.Node): boolean =>
    ts.isIdentifier(node) ||
    ts.isLiteralExpression(node) ||
    ts.isCallExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isArrayLiteralExpression(node)

  /** The text of an expression, for a place where any expression may stand. */
  const operand = (node: ts.Node): string => (isSimple(node) ? node.getText() : `(${node.getText()})`)

  /** Sources have no semicolons: a statement that begins with one of these would go on with the line before it. */
  const startsStatement = (node: ts.Node): boolean => {
    for (let each = node; each.parent !== undefined; each = each.parent) {
      if (each.getStart() !== node.getStart()) return false
      if (ts.isExpressionStatement(each)) return true
    }
    return false
  }

  const replace = (kind: Kind, node: ts.Node, put: string): Change => ({
    kind,
    from: node.getStart(),
    to: node.getEnd(),
    put: /^[([`/+-]/.test(put) && startsStatement(node) ? `;${put}` : put
  })

  /** Without one node of a list, and without the comma that it leaves. */
  const without = (kind: Kind, list: ts.NodeArray<ts.Node>, index: number): Change => {
    const [node, next, before] = [list[index]!, list[index + 1], list[index - 1]]
    if (next !== undefined) return { kind, from: node.getStart(), to: next.getStart(), put: "" }
    if (before !== undefined) return { kind, from: before.getEnd(), to: node.getEnd(), put: "" }
    const text = node.getSourceFile().text
    const comma = /^\s*,/.exec(text.slice(node.getEnd()))?.[0].length ?? 0
    return { kind, from: node.getStart(), to: node.getEnd() + comma, put: "" }
  }

  return { operand, replace, without }
}
