/** The names of a module by what they stand for, as the compiler binds them. */
import ts from "typescript"

const fileName = "module.ts"

/** Binds the names of one module; what it imports stays unknown. */
const bound = (text: string): { readonly file: ts.SourceFile; readonly checker: ts.TypeChecker } => {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true)
  const program = ts.createProgram(
    [fileName],
    { noLib: true, noResolve: true, types: [], target: ts.ScriptTarget.Latest },
    {
      getSourceFile: (name) => (name === fileName ? file : undefined),
      writeFile: () => {},
      getDefaultLibFileName: () => "lib.d.ts",
      getCurrentDirectory: () => "",
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => "\n",
      fileExists: (name) => name === fileName,
      readFile: () => undefined
    }
  )
  return { file, checker: program.getTypeChecker() }
}

const identifiersOf = (file: ts.SourceFile): ReadonlyArray<ts.Identifier> => {
  const found: Array<ts.Identifier> = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const isTop = (declaration: ts.Node): boolean => {
  for (let node = declaration.parent; node !== undefined; node = node.parent) {
    if (ts.isFunctionLike(node) || ts.isBlock(node) || ts.isForOfStatement(node)) return false
  }
  return true
}

const isLocal = (symbol: ts.Symbol | undefined): boolean => {
  const declarations = symbol?.declarations ?? []
  return (
    declarations.length > 0 &&
    declarations.every(
      (declaration) =>
        (ts.isParameter(declaration) ||
          ts.isVariableDeclaration(declaration) ||
          ts.isBindingElement(declaration)) &&
        !isTop(declaration)
    )
  )
}

const isPropertyName = (node: ts.Identifier): boolean => {
  const { parent } = node
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node)
  )
}

/** Every parameter and every variable of a function gets another name; renaming twice changes nothing more. */
export const renameLocals = (text: string): string => {
  const { checker, file } = bound(text)
  const other = (name: string): string => (name.endsWith("_") ? name : `${name}_`)
  const edits = identifiersOf(file).flatMap((node): ReadonlyArray<readonly [ts.Identifier, string]> => {
    const { parent } = node
    if (isPropertyName(node)) return []
    if (ts.isShorthandPropertyAssignment(parent)) {
      return isLocal(checker.getShorthandAssignmentValueSymbol(parent))
        ? [[node, `${node.text}: ${other(node.text)}`]]
        : []
    }
    if (!isLocal(checker.getSymbolAtLocation(node))) return []
    const isShort =
      ts.isBindingElement(parent) &&
      parent.name === node &&
      parent.propertyName === undefined &&
      parent.dotDotDotToken === undefined &&
      ts.isObjectBindingPattern(parent.parent)
    return [[node, isShort ? `${node.text}: ${other(node.text)}` : other(node.text)]]
  })
  return edits.reduceRight(
    (changed, [node, by]) => changed.slice(0, node.getStart()) + by + changed.slice(node.getEnd()),
    text
  )
}

/** Names that stand for nothing in the module: globals, or misspellings. */
export const unresolvedNames = (text: string): ReadonlySet<string> => {
  const { checker, file } = bound(text)
  return new Set(
    identifiersOf(file)
      .filter((node) => !isPropertyName(node) && ts.isExpression(node) && !ts.isTypeNode(node.parent))
      .filter((node) => {
        const symbol = ts.isShorthandPropertyAssignment(node.parent)
          ? checker.getShorthandAssignmentValueSymbol(node.parent)
          : checker.getSymbolAtLocation(node)
        return symbol === undefined
      })
      .map(({ text }) => text)
  )
}
