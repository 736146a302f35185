/** Mutations of conditions and of the operators that they are made of. */
import type { TypeScript } from "../bugs/SyntaxEdit.ts"
import type { Change, Kind } from "./Mutant.ts"
import { changesOf, type Rule } from "./Rule.ts"

/** Exchanges comparisons, logical and arithmetic operators, and negates conditions or makes them true or false. */
export const conditionRules = (ts: TypeScript): ReadonlyArray<Rule> => {
  const { operand, replace } = changesOf(ts)
  const K = ts.SyntaxKind

  /** Operators whose exchange has one of the kinds. */
  const exchanged = new Map<number, readonly [Kind, string]>([
    [K.LessThanToken, ["bound", "<="]],
    [K.LessThanEqualsToken, ["bound", "<"]],
    [K.GreaterThanToken, ["bound", ">="]],
    [K.GreaterThanEqualsToken, ["bound", ">"]],
    [K.EqualsEqualsEqualsToken, ["equality", "!=="]],
    [K.ExclamationEqualsEqualsToken, ["equality", "==="]],
    [K.AmpersandAmpersandToken, ["logical", "||"]],
    [K.BarBarToken, ["logical", "&&"]],
    [K.PlusToken, ["arithmetic", "-"]],
    [K.MinusToken, ["arithmetic", "+"]],
    [K.AsteriskToken, ["arithmetic", "/"]],
    [K.SlashToken, ["arithmetic", "*"]],
    [K.PercentToken, ["arithmetic", "*"]],
    [K.AmpersandToken, ["arithmetic", "|"]],
    [K.BarToken, ["arithmetic", "&"]],
    [K.LessThanLessThanToken, ["arithmetic", ">>"]],
    [K.GreaterThanGreaterThanToken, ["arithmetic", "<<"]],
    [K.PlusEqualsToken, ["arithmetic", "-="]],
    [K.MinusEqualsToken, ["arithmetic", "+="]],
    [K.BarEqualsToken, ["arithmetic", "&="]]
  ])

  const isText = (node: import("typescript").Node): boolean =>
    ts.isStringLiteralLike(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)))

  /** The bare exchange of its operator negates it already. */
  const isEquality = (node: import("typescript").Node): boolean =>
    ts.isBinaryExpression(node) && exchanged.get(node.operatorToken.kind)?.[0] === "equality"

  const leaves = (statement: import("typescript").Statement): boolean =>
    ts.isBlock(statement)
      ? statement.statements.length === 1 && leaves(statement.statements[0]!)
      : ts.isReturnStatement(statement) ||
        ts.isThrowStatement(statement) ||
        ts.isContinueStatement(statement) ||
        ts.isBreakStatement(statement)

  const conditions: Rule = (node) => {
    if (ts.isWhileStatement(node)) return [replace("condition", node.expression, "false")]
    if (!ts.isIfStatement(node) && !ts.isConditionalExpression(node)) return []
    const condition = ts.isIfStatement(node) ? node.expression : node.condition
    const changes: Array<Change> = []
    if (ts.isPrefixUnaryExpression(condition)) {
      changes.push(replace("condition", condition, operand(condition.operand)))
    } else if (!isEquality(condition)) {
      changes.push(replace("condition", condition, `!${operand(condition)}`))
    }
    changes.push(replace("condition", condition, "true"))
    // Without its early return it is as if the condition were false.
    if (ts.isConditionalExpression(node) || node.elseStatement !== undefined || !leaves(node.thenStatement))
      changes.push(replace("condition", condition, "false"))
    return changes
  }

  const negations: Rule = (node) => {
    if (!ts.isPrefixUnaryExpression(node) || node.operator !== K.ExclamationToken) return []
    const { parent } = node
    const isWhole =
      (ts.isIfStatement(parent) && parent.expression === node) ||
      (ts.isConditionalExpression(parent) && parent.condition === node)
    return isWhole ? [] : [replace("condition", node, operand(node.operand))]
  }

  const operators: Rule = (node) => {
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const by = { [K.PlusPlusToken]: "--", [K.MinusMinusToken]: "++" }[node.operator as number]
      if (by === undefined) return []
      const text = node.operand.getText()
      return [replace("arithmetic", node, ts.isPrefixUnaryExpression(node) ? by + text : text + by)]
    }
    if (!ts.isBinaryExpression(node)) return []
    const { left, operatorToken, right } = node
    const by = exchanged.get(operatorToken.kind)
    if (by === undefined || (by[0] === "arithmetic" && isText(node))) return []
    const isLogical = by[0] === "logical"
    // `a && b || c` needs no parentheses, and must have the same meaning for the rest of it.
    const exchange = isLogical
      ? replace("logical", node, `(${operand(left)} ${by[1]} ${operand(right)})`)
      : replace(by[0], operatorToken, by[1])
    return isLogical
      ? [exchange, replace("operand", node, operand(left)), replace("operand", node, operand(right))]
      : [exchange]
  }

  const nullish: Rule = (node) => {
    if (ts.isBinaryExpression(node)) {
      const { left, operatorToken, right } = node
      if (operatorToken.kind === K.QuestionQuestionEqualsToken)
        return [replace("nullish", operatorToken, "=")]
      return operatorToken.kind === K.QuestionQuestionToken
        ? [replace("nullish", node, operand(left)), replace("nullish", node, operand(right))]
        : []
    }
    const token =
      ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node)
        ? node.questionDotToken
        : undefined
    return token === undefined
      ? []
      : [replace("chain", token, ts.isPropertyAccessExpression(node) ? "." : "")]
  }

  return [conditions, negations, operators, nullish]
}
