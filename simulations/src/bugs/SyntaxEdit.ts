/**
 * Edits of TypeScript anchored to syntax: a declaration by its name, and in it a node that a pattern describes. Formatting,
 * comments, type annotations and the names of locals are no part of an anchor.
 *
 * A pattern is an expression, a statement or a property, written as code. In it `$name` stands for any node, the same one
 * wherever the name stands, and `$$name` for any number of nodes of a list. An edit takes what they stand for into its own
 * text.
 */
import type ts from "typescript"

/** The compiler as a value: it is loaded only where bugs are planted. */
export type TypeScript = typeof ts

interface Anchored {
  /**
   * A declaration at the top of the module, or a member of it: `settle`, `make.update`. No locals, whose names are free.
   */
  readonly in: string
  /** Patterns found in the declaration before the others: they say what their `$names` stand for. */
  readonly given?: ReadonlyArray<string>
}

/** One edit: an anchor, and what is done there. An anchor that is not there, or there twice, makes the edit fail. */
export type Edit = Anchored &
  (
    | { readonly find: string; readonly put: string }
    /** A statement or a property, with the comma after it. */
    | { readonly drop: string }
    /** Statements before one, or before the declaration and its comment. */
    | { readonly insert: string; readonly before?: string }
    /** Text inside of one string, in whatever way its white space is broken. */
    | { readonly text: string; readonly put: string }
  )

/** Why an edit does not apply: its anchor is not there, or there more than once. */
class AnchorError extends Error {
  override readonly name = "AnchorError"
}

type Bindings = ReadonlyMap<string, string>

interface Match {
  readonly node: ts.Node
  readonly bindings: Bindings
}

interface Replacement {
  readonly from: number
  readonly to: number
  readonly by: string
}

const isMetavariable = (name: string): boolean => /^\$\w+$/.test(name)
const isListMetavariable = (name: string): boolean => /^\$\$\w+$/.test(name)

/** Applies edits to the text of a module, all of them to the text as it was. */
export const syntaxEditor = (ts: TypeScript) => {
  const parse = (text: string): ts.SourceFile =>
    ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true)

  const isParsed = (file: ts.SourceFile): boolean =>
    (file as unknown as { readonly parseDiagnostics: ReadonlyArray<unknown> }).parseDiagnostics.length === 0

  /** In a generator, so that `yield*` is one. */
  const statementsOf = (text: string): ReadonlyArray<ts.Statement> | null => {
    const file = parse(`async function* pattern() {\n${text}\n}`)
    return isParsed(file) ? (file.statements[0] as ts.FunctionDeclaration).body!.statements : null
  }

  const withoutParentheses = (node: ts.Node): ts.Node =>
    ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node

  const patternOf = (text: string): ts.Node => {
    const [expression, ...more] = statementsOf(`(${text}\n)`) ?? []
    if (expression !== undefined && more.length === 0 && ts.isExpressionStatement(expression))
      return withoutParentheses(expression.expression)
    const [statement, ...others] = statementsOf(text) ?? []
    if (statement !== undefined && others.length === 0 && !ts.isLabeledStatement(statement)) return statement
    const [object] = statementsOf(`({${text}\n})`) ?? []
    if (object !== undefined && ts.isExpressionStatement(object)) {
      const literal = withoutParentheses(object.expression)
      if (ts.isObjectLiteralExpression(literal) && literal.properties.length === 1)
        return literal.properties[0]!
    }
    throw new AnchorError(`This is not a pattern: ${text}`)
  }

  const childrenOf = (node: ts.Node): ReadonlyArray<ts.Node> => {
    const children: Array<ts.Node> = []
    ts.forEachChild(node, (child) => {
      if (!ts.isTypeNode(child) && !ts.isTypeParameterDeclaration(child))
        children.push(withoutParentheses(child))
    })
    return children
  }

  /** The identifier that a node of a pattern is, where it stands for something else. */
  const nameOf = (node: ts.Node): string | null => {
    if (ts.isIdentifier(node)) return node.text
    if (ts.isShorthandPropertyAssignment(node)) return node.name.text
    if (ts.isExpressionStatement(node)) return nameOf(node.expression)
    return ts.isParameter(node) && node.initializer === undefined ? nameOf(node.name) : null
  }

  /** A property or a binding as it would be written in full: `{ id }` is `{ id: id }`. */
  const inFull = (node: ts.Node): readonly [name: ts.Node, value: ts.Node] | null => {
    if (ts.isShorthandPropertyAssignment(node)) return [node.name, node.name]
    if (ts.isPropertyAssignment(node)) return [node.name, withoutParentheses(node.initializer)]
    return ts.isBindingElement(node) &&
      node.dotDotDotToken === undefined &&
      node.initializer === undefined &&
      ts.isIdentifier(node.name)
      ? [node.propertyName ?? node.name, node.name]
      : null
  }

  const bind = (name: string, nodes: ReadonlyArray<ts.Node>, bindings: Bindings): Bindings | null => {
    const text =
      nodes.length === 0
        ? ""
        : nodes[0]!.getSourceFile().text.slice(nodes[0]!.getStart(), nodes.at(-1)!.getEnd())
    const bound = bindings.get(name)
    if (bound === undefined) return new Map(bindings).set(name, text)
    return bound === text ? bindings : null
  }

  const matchLists = (
    patterns: ReadonlyArray<ts.Node>,
    nodes: ReadonlyArray<ts.Node>,
    bindings: Bindings
  ): Bindings | null => {
    const [pattern, ...rest] = patterns
    if (pattern === undefined) return nodes.length === 0 ? bindings : null
    const name = nameOf(pattern)
    if (name !== null && isListMetavariable(name)) {
      for (let taken = nodes.length; taken >= 0; taken--) {
        const bound = bind(name, nodes.slice(0, taken), bindings)
        const matched = bound === null ? null : matchLists(rest, nodes.slice(taken), bound)
        if (matched !== null) return matched
      }
      return null
    }
    if (nodes.length === 0) return null
    const bound = match(pattern, nodes[0]!, bindings)
    return bound === null ? null : matchLists(rest, nodes.slice(1), bound)
  }

  /** What distinguishes nodes of one kind beside their children. */
  const signOf = (node: ts.Node): unknown => {
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return node.operator
    if (ts.isVariableDeclarationList(node)) return node.flags & ts.NodeFlags.BlockScoped
    return ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node)
      ? node.text
      : ts.isTemplateHead(node)
        ? node.text
        : null
  }

  const match = (pattern: ts.Node, node: ts.Node, bindings: Bindings): Bindings | null => {
    if (ts.isIdentifier(pattern) && isMetavariable(pattern.text)) return bind(pattern.text, [node], bindings)
    const [wanted, found] = [inFull(pattern), inFull(node)]
    if (wanted !== null && found !== null && ts.isBindingElement(pattern) === ts.isBindingElement(node))
      return matchLists(wanted, found, bindings)
    return pattern.kind === node.kind && signOf(pattern) === signOf(node)
      ? matchLists(childrenOf(pattern), childrenOf(node), bindings)
      : null
  }

  const matches = (text: string, within: ts.Node, bindings: Bindings): ReadonlyArray<Match> => {
    const pattern = patternOf(text)
    const found: Array<Match> = []
    const visit = (node: ts.Node): void => {
      const bound = match(pattern, node, bindings)
      if (bound !== null) found.push({ node, bindings: bound })
      ts.forEachChild(node, visit)
    }
    visit(within)
    return found
  }

  const onlyOne = <A>(found: ReadonlyArray<A>, what: string): A => {
    if (found.length !== 1) throw new AnchorError(`${what} is there ${found.length} times`)
    return found[0]!
  }

  const find = (text: string, within: ts.Node, path: string, bindings: Bindings): Match =>
    onlyOne(matches(text, within, bindings), `"${text}" in ${path}`)

  const isNamed = (node: ts.Node, name: string): boolean => {
    const declared = (node as { readonly name?: ts.Node }).name
    return (
      declared !== undefined &&
      (ts.isIdentifier(declared) || ts.isStringLiteral(declared)) &&
      declared.text === name
    )
  }

  /** Functions, classes, constants. */
  const declarations = (file: ts.SourceFile): ReadonlyArray<ts.Node> =>
    file.statements.flatMap((statement): ReadonlyArray<ts.Node> =>
      ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
    )

  const members = (within: ts.Node): ReadonlyArray<ts.Node> => {
    const found: Array<ts.Node> = []
    const visit = (node: ts.Node): void => {
      if (ts.isPropertyAssignment(node) || ts.isClassElement(node) || ts.isMethodDeclaration(node))
        found.push(node)
      ts.forEachChild(node, visit)
    }
    ts.forEachChild(within, visit)
    return found
  }

  const declarationOf = (file: ts.SourceFile, path: string): ts.Node => {
    const [first, ...rest] = path.split(".")
    const top = onlyOne(
      declarations(file).filter((node) => isNamed(node, first!)),
      `The declaration of "${first}"`
    )
    return rest.reduce(
      (within, name) =>
        onlyOne(
          members(within).filter((node) => isNamed(node, name)),
          `"${name}" of ${path}`
        ),
      top
    )
  }

  const statementAround = (node: ts.Node): ts.Node =>
    ts.isStatement(node) || node.parent === undefined ? node : statementAround(node.parent)

  /** Its text with what the names in it stand for. */
  const filled = (text: string, bindings: Bindings, path: string): string =>
    text.replace(/\$\$?\w+/g, (name) => {
      const bound = bindings.get(name)
      if (bound === undefined) throw new AnchorError(`${name} stands for nothing in an edit of ${path}`)
      return bound
    })

  const inString = (within: ts.Node, text: string, path: string): Omit<Replacement, "by"> => {
    const spaced = text
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("\\s+")
    const found: Array<Omit<Replacement, "by">> = []
    const visit = (node: ts.Node): void => {
      if (
        ts.isStringLiteralLike(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddleOrTemplateTail(node)
      ) {
        for (const { 0: words, index } of node.getText().matchAll(new RegExp(spaced, "g"))) {
          const from = node.getStart() + index
          found.push({ from, to: from + words.length })
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(within)
    return onlyOne(found, `The text "${text}" in ${path}`)
  }

  const replacementOf = (file: ts.SourceFile, edit: Edit): Replacement => {
    const path = edit.in
    const within = declarationOf(file, path)
    const given = (edit.given ?? []).reduce<Bindings>(
      (bindings, pattern) => find(pattern, within, path, bindings).bindings,
      new Map()
    )
    if ("find" in edit) {
      const { bindings, node } = find(edit.find, within, path, given)
      return { from: node.getStart(), to: node.getEnd(), by: filled(edit.put, bindings, path) }
    }
    if ("drop" in edit) {
      const { node } = find(edit.drop, within, path, given)
      const dropped = ts.isObjectLiteralElementLike(node) ? node : statementAround(node)
      const comma = /^\s*,/.exec(file.text.slice(dropped.getEnd()))?.[0] ?? ""
      return { from: dropped.getStart(), to: dropped.getEnd() + comma.length, by: "" }
    }
    if ("insert" in edit) {
      const found = edit.before === undefined ? null : find(edit.before, within, path, given)
      const from = statementAround(found?.node ?? within).getStart(file, true)
      return { from, to: from, by: `${filled(edit.insert, found?.bindings ?? given, path)}\n` }
    }
    return { ...inString(within, edit.text, path), by: edit.put }
  }

  const apply = (text: string, edits: ReadonlyArray<Edit>): string => {
    const file = parse(text)
    return edits
      .map((edit) => replacementOf(file, edit))
      .sort((a, b) => b.from - a.from)
      .reduce((changed, { by, from, to }) => changed.slice(0, from) + by + changed.slice(to), text)
  }

  return { apply }
}
