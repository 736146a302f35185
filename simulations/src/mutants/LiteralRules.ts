/** Mutations of literals: numbers, strings, booleans, arrays and objects. */
import type ts from "typescript"
import type { TypeScript } from "../bugs/SyntaxEdit.ts"
import { changesOf, type Rule } from "./Rule.ts"
import { isSql } from "./SqlRules.ts"

/** A longer array is a table of data: only its first and its last element are mutated. */
const maxElements = 16

/** One more or less of a large number is no bug that anybody would notice. */
const smallest = 1000

/** Names of properties, modules and types stay as they are. */
export const literalRules = (ts: TypeScript): ReadonlyArray<Rule> => {
  const { replace, without } = changesOf(ts)

  const isName = (node: ts.Node): boolean => {
    const { parent } = node
    return (
      (parent as { readonly name?: ts.Node }).name === node ||
      ts.isElementAccessExpression(parent) ||
      ts.isImportDeclaration(parent) ||
      ts.isExportDeclaration(parent) ||
      ts.isLiteralTypeNode(parent) ||
      ts.isComputedPropertyName(parent)
    )
  }

  const isWithinTable = (node: ts.Node): boolean => {
    const { parent } = node
    if (ts.isPrefixUnaryExpression(parent)) return isWithinTable(parent)
    if (!ts.isArrayLiteralExpression(parent)) return false
    const { elements } = parent
    const isInside = elements.length > maxElements && node !== elements[0] && node !== elements.at(-1)
    return isInside || isWithinTable(parent)
  }

  const numbers: Rule = (node) => {
    if (!ts.isNumericLiteral(node) || isName(node) || isWithinTable(node)) return []
    const value = Number(node.text)
    const others =
      value > smallest
        ? [value * 2, Math.floor(value / 2)]
        : [value + 1, value - 1].filter((other) => other >= 0)
    return others.map((other) => replace("number", node, String(other)))
  }

  /** The name of a tag, an identifier of a schema: nobody ever sees it. */
  const isIdentifier = (text: string): boolean => text.startsWith("@lead-signals/")

  const strings: Rule = (node) =>
    !ts.isStringLiteral(node) ||
    isName(node) ||
    isWithinTable(node) ||
    node.text === "" ||
    isIdentifier(node.text) ||
    isSql(ts, node)
      ? []
      : [replace("string", node, '""')]

  const booleans: Rule = (node) => {
    if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace("boolean", node, "false")]
    return node.kind === ts.SyntaxKind.FalseKeyword ? [replace("boolean", node, "true")] : []
  }

  /** Parameters of a statement: without one of them it can't even run. */
  const isOfStatement = ({ parent }: ts.Node): boolean =>
    ts.isCallExpression(parent) && parent.arguments.some((each) => isSql(ts, each))

  const elements: Rule = (node) => {
    if (!ts.isArrayLiteralExpression(node) || isOfStatement(node) || isWithinTable(node)) return []
    const all = node.elements.map((_, i) => i)
    const indexes = all.length > maxElements ? [0, all.length - 1] : all
    return indexes.map((i) => without("element", node.elements, i))
  }

  const isFunction = (node: ts.Node): boolean => ts.isArrowFunction(node) || ts.isFunctionExpression(node)

  const properties: Rule = (node) =>
    ts.isObjectLiteralExpression(node)
      ? node.properties.flatMap((property, i) =>
          // Without a function there would be nothing to run.
          ts.isMethodDeclaration(property) ||
          (ts.isPropertyAssignment(property) && isFunction(property.initializer))
            ? []
            : [without("property", node.properties, i)]
        )
      : []

  return [numbers, strings, booleans, elements, properties]
}
