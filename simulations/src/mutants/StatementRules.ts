/** Mutations that leave out statements, effects and calls, or exchange arguments. */
import type ts from "typescript"
import type { TypeScript } from "../bugs/SyntaxEdit.ts"
import type { Change } from "./Mutant.ts"
import { changesOf, type Rule } from "./Rule.ts"

/** Calls without which their receiver remains. */
const removable = new Set([
  "concat",
  "filter",
  "normalize",
  "reverse",
  "slice",
  "sort",
  "toLowerCase",
  "toReversed",
  "toSorted",
  "toUpperCase",
  "trim",
  "trimEnd",
  "trimStart"
])

const counterparts: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith"
}

/** Functions of two effects, or of an effect and more, with the argument that remains. */
const remaining: Readonly<Record<string, number>> = {
  "Effect.ensuring": 0,
  "Effect.onExit": 0,
  "Effect.onInterrupt": 0,
  "Effect.retry": 0,
  "Effect.tap": 0,
  "Effect.uninterruptible": 0,
  "Effect.zipLeft": 0,
  "Effect.zipRight": 1
}

/** Each change leaves out one statement, effect or call, or exchanges arguments. */
export const statementRules = (ts: TypeScript): ReadonlyArray<Rule> => {
  const { operand, replace, without } = changesOf(ts)

  const isSuperCall = ({ expression }: ts.ExpressionStatement): boolean =>
    ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword

  const isFunctionBody = (node: ts.Node): boolean => ts.isBlock(node) && ts.isFunctionLike(node.parent)

  const statements: Rule = (node) => {
    if (ts.isExpressionStatement(node)) return isSuperCall(node) ? [] : [replace("statement", node, ";")]
    const isLeaving =
      ts.isReturnStatement(node) ||
      ts.isThrowStatement(node) ||
      ts.isContinueStatement(node) ||
      ts.isBreakStatement(node)
    if (!isLeaving) return []
    const { parent } = node
    const isLast = isFunctionBody(parent) && (parent as ts.Block).statements.at(-1) === node
    return isLast ? [] : [replace("return", node, ";")]
  }

  const effects: Rule = (node) => {
    if (ts.isYieldExpression(node)) {
      // As a statement it would be a statement that is gone.
      return node.expression === undefined || ts.isExpressionStatement(node.parent)
        ? []
        : [replace("effect", node, operand(node.expression))]
    }
    return ts.isAwaitExpression(node) ? [replace("effect", node, operand(node.expression))] : []
  }

  const isNamespace = (node: ts.Node): boolean => ts.isIdentifier(node) && /^[A-Z]/.test(node.text)

  const stages: Rule = (node) => {
    if (!ts.isCallExpression(node)) return []
    const callee = node.expression
    if (
      ts.isPropertyAccessExpression(callee) &&
      callee.name.text === "pipe" &&
      !isNamespace(callee.expression)
    ) {
      if (node.arguments.length === 1) return [replace("stage", node, operand(callee.expression))]
      return node.arguments.map((_, i) => without("stage", node.arguments, i))
    }
    const index = remaining[callee.getText()]
    const rest = index === undefined ? undefined : node.arguments[index]
    const isDataFirst = node.arguments.length === 2 || callee.getText() === "Effect.uninterruptible"
    return rest === undefined || !isDataFirst ? [] : [replace("stage", node, operand(rest))]
  }

  const methods: Rule = (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
    const { expression: receiver, name } = node.expression
    const counterpart = Object.hasOwn(counterparts, name.text) ? counterparts[name.text] : undefined
    const isOfMath = ts.isIdentifier(receiver) && receiver.text === "Math"
    if (counterpart !== undefined && (isOfMath || !isNamespace(receiver)))
      return [replace("method", name, counterpart)]
    return removable.has(name.text) && !isNamespace(receiver)
      ? [replace("method", node, operand(receiver))]
      : []
  }

  const isOfSameShape = (a: ts.Node, b: ts.Node): boolean =>
    a.kind === b.kind &&
    a.getText() !== b.getText() &&
    (ts.isIdentifier(a) || ts.isPropertyAccessExpression(a) || ts.isLiteralExpression(a))

  const swaps: Rule = (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return []
    if (node.expression.getText().startsWith("Math.")) return []
    const list = node.arguments ?? []
    return list.flatMap((first, i): ReadonlyArray<Change> => {
      const second = list[i + 1]
      if (second === undefined || !isOfSameShape(first, second)) return []
      const text = node.getSourceFile().text
      const between = text.slice(first.getEnd(), second.getStart())
      const put = second.getText() + between + first.getText()
      return [{ kind: "arguments", from: first.getStart(), to: second.getEnd(), put }]
    })
  }

  return [statements, effects, stages, methods, swaps]
}
