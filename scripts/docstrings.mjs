/**
 * `node scripts/docstrings.mjs [FOLDER]`: counts the docstrings of the packages of this repository, or of the one in FOLDER. These need one:
 * each name that a public entry point exports, each member of such an interface, class, service or object, and each name that any module of a
 * package exports. A docstring that only repeats its name counts as none. It prints each that is missing as file:line and fails. A last line
 * for each package says how many of its modules' names have none.
 *
 * `npm run lint` runs it. The checker reads the sources of the repository alone, not its dependencies, which takes a second or two.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = resolve(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))))

const folders = [...readdirSync(join(root, "packages")).map((name) => join("packages", name)), "simulations"]

/** The source file of each public entry point, by the name that it is imported by; `scripts/pack.mjs` packs the same packages. */
const entryPoints = new Map(
  folders
    .map((folder) => ({ folder, manifestFile: join(root, folder, "package.json") }))
    .filter(({ manifestFile }) => existsSync(manifestFile))
    .flatMap(({ folder, manifestFile }) => {
      const { exports, name, publishConfig } = JSON.parse(readFileSync(manifestFile, "utf8"))
      return Object.keys(publishConfig?.exports ?? {}).map((entry) => [
        `${name}${entry.slice(1)}`,
        join(root, folder, exports[entry])
      ])
    })
)

const options = {
  noLib: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  types: []
}

const host = ts.createCompilerHost(options)
host.resolveModuleNameLiterals = (literals, importer) =>
  literals.map(({ text }) => {
    const file = text.startsWith(".") ? resolve(dirname(importer), text) : entryPoints.get(text)
    return {
      resolvedModule:
        file?.endsWith(".ts") === true && existsSync(file)
          ? { resolvedFileName: file, extension: ts.Extension.Ts, isExternalLibraryImport: false }
          : undefined
    }
  })

const program = ts.createProgram([...entryPoints.values()], options, host)
const checker = program.getTypeChecker()

const wordsOf = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

const emptyWords = new Set(["a", "an", "and", "are", "for", "is", "its", "of", "the", "these", "this", "to"])

/** Whether the text says more than the name does. */
const saysMore = (text, name) => {
  const known = new Set(wordsOf(name).flatMap((word) => [word, `${word}s`, word.replace(/s$/, "")]))
  return wordsOf(text).some((word) => !known.has(word) && !emptyWords.has(word))
}

/** The text of the docstring right before the node. That of the file is none, though TypeScript takes it for the first statement's. */
const textOf = (node) => {
  const holder = ts.isBindingElement(node) ? ts.walkUpBindingElementsAndPatterns(node) : node
  const doc = ts.getJSDocCommentsAndTags(holder).findLast(ts.isJSDoc)
  if (doc === undefined) return ""
  const { text } = doc.getSourceFile()
  if (doc.pos === 0 && /^\s*\n\s*\n/.test(text.slice(doc.end))) return ""
  const tags = (doc.tags ?? []).map((tag) => ts.getTextOfJSDocComment(tag.comment) ?? "")
  return [ts.getTextOfJSDocComment(doc.comment) ?? "", ...tags].join(" ").trim()
}

/** The docstring that stands at the top of a file. */
const headerOf = ({ text }) => /^\/\*\*[^]*?\*\//.exec(text)?.[0] ?? ""

const missing = []
const seen = new Set()
let counted = 0

const count = (name, node, text) => {
  counted += 1
  if (saysMore(text, name.split(".").at(-1))) return
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
  const problem = text === "" ? "has no docstring" : "has a docstring that only repeats its name"
  const path = relative(root, file.fileName).replaceAll("\\", "/")
  missing.push({ path, line: line + 1, text: `${name} ${problem}` })
}

const isHidden = (member) =>
  (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
  (ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0

/** Members of a class, an interface, a type literal or an object. The docstring of a member also covers an object in its type. */
const checkMembers = (name, members) => {
  for (const member of members) {
    if (seen.has(member) || isHidden(member)) continue
    seen.add(member)
    if (ts.isConstructorDeclaration(member)) {
      if (member.parameters.length > 0) count(`${name}.constructor`, member, textOf(member))
      continue
    }
    if (member.name === undefined || ts.isComputedPropertyName(member.name)) continue
    const memberName = `${name}.${member.name.text}`
    const shorthand = ts.isShorthandPropertyAssignment(member)
      ? checker.getShorthandAssignmentValueSymbol(member)
      : undefined
    if (shorthand === undefined) count(memberName, member, textOf(member))
    else checkSymbol(memberName, shorthand)
  }
}

/** Each object of a union has a docstring before its bar, or its members have theirs. */
const checkVariants = (name, union) => {
  const file = union.getSourceFile()
  let from = union.pos
  for (const part of union.types) {
    const [text] = /\/\*\*[^]*\*\//.exec(file.text.slice(from, part.getStart(file))) ?? []
    from = part.end
    if (!ts.isTypeLiteralNode(part)) checkType(name, part)
    else if (text === undefined) checkMembers(name, part.members)
    else count(name, part, text)
  }
}

/** The members that a type or a value writes down, also those of a declaration that is exported by another name alone. */
const checkType = (name, node) => {
  if (ts.isTypeLiteralNode(node)) checkMembers(name, node.members)
  else if (ts.isObjectLiteralExpression(node)) checkMembers(name, node.properties)
  else if (ts.isUnionTypeNode(node)) checkVariants(name, node)
  else if (ts.isIntersectionTypeNode(node)) for (const part of node.types) checkType(name, part)
  else if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) checkType(name, node.type)
  else if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) checkType(name, node.expression)
  else if (ts.isTypeReferenceNode(node) && node.typeArguments === undefined) {
    const target = checker.getSymbolAtLocation(node.typeName)
    for (const declaration of target?.declarations ?? []) {
      if (ts.isInterfaceDeclaration(declaration) || ts.isClassLike(declaration)) {
        checkDeclaration(name, declaration)
      }
    }
  }
}

/** What stands between the angle brackets of `extends`: the members of a service, the fields of an error. */
const heritageOf = ({ heritageClauses = [] }) =>
  heritageClauses.flatMap(({ types }) =>
    types.flatMap(({ expression, typeArguments = [] }) => {
      const found = [...typeArguments]
      for (let call = expression; ts.isCallExpression(call); call = call.expression) {
        found.push(...(call.typeArguments ?? []))
      }
      return found.filter((part) => !ts.isTypeReferenceNode(part))
    })
  )

const checkDeclaration = (name, declaration) => {
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassLike(declaration)) {
    checkMembers(name, declaration.members)
    for (const part of heritageOf(declaration)) checkType(name, part)
  } else if (ts.isEnumDeclaration(declaration)) checkMembers(name, declaration.members)
  else if (ts.isTypeAliasDeclaration(declaration)) checkType(name, declaration.type)
  else if (declaration.type === undefined && declaration.initializer !== undefined) {
    checkType(name, declaration.initializer)
  }
}

/** A name that is exported twice counts once. */
const checkSymbol = (name, given) => {
  const symbol = given.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(given) : given
  const [first, ...others] = symbol.declarations ?? []
  if (first === undefined || seen.has(symbol)) return
  seen.add(symbol)
  if (ts.isSourceFile(first)) {
    count(name, first, headerOf(first))
    for (const inner of checker.getExportsOfModule(symbol)) checkSymbol(`${name}.${inner.name}`, inner)
    return
  }
  count(name, first, [first, ...others].map(textOf).join(" ").trim())
  for (const declaration of [first, ...others]) checkDeclaration(name, declaration)
}

for (const [name, file] of entryPoints) {
  checkSymbol(name, checker.getSymbolAtLocation(program.getSourceFile(file)))
}

const missingPublic = missing.length

/** The modules below the folder. */
const modulesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
    : []

/** The names that a declaration declares: several where it takes an object apart. */
const identifiersOf = (name) =>
  ts.isIdentifier(name)
    ? [name]
    : (name.elements ?? []).flatMap((part) => (part.name === undefined ? [] : identifiersOf(part.name)))

/** The declarations that a module exports and does not merely pass on, by their names. */
const exportedOf = (source) => {
  const listed = new Set(
    source.statements
      .filter((each) => ts.isExportDeclaration(each) && each.moduleSpecifier === undefined)
      .flatMap(({ exportClause }) => exportClause?.elements ?? [])
      .map(({ name, propertyName }) => (propertyName ?? name).text)
  )
  const found = new Map()
  for (const statement of source.statements) {
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement]
    for (const declaration of declarations) {
      if (declaration.name === undefined) continue
      for (const { text } of identifiersOf(declaration.name)) {
        if (isExported || listed.has(text)) found.set(text, [...(found.get(text) ?? []), declaration])
      }
    }
  }
  return found
}

/** How many names the folder's modules export, and those of them that no docstring explains. */
const countModules = (folder) => {
  let exported = 0
  const without = []
  for (const file of modulesIn(join(root, folder, "src"))) {
    const source =
      program.getSourceFile(file) ??
      ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)
    for (const [name, declarations] of exportedOf(source)) {
      exported += 1
      if (saysMore(declarations.map(textOf).join(" "), name)) continue
      const path = relative(root, file).replaceAll("\\", "/")
      const { line } = source.getLineAndCharacterOfPosition(declarations[0].getStart(source))
      without.push({ path, line: line + 1, text: `${name} has no docstring of its own` })
    }
  }
  return { folder: folder.replaceAll("\\", "/"), exported, without }
}

const modules = folders.map(countModules).filter(({ exported }) => exported > 0)
for (const { without } of modules) {
  const known = new Set(missing.map(({ line, path }) => `${path}:${line}`))
  missing.push(...without.filter(({ line, path }) => !known.has(`${path}:${line}`)))
}

missing.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
for (const { line, path, text } of missing) process.stdout.write(`${path}:${line} ${text}\n`)
process.stdout.write(`${counted - missingPublic} of ${counted} public names and members have a docstring\n`)
for (const { exported, folder, without } of modules) {
  process.stdout.write(`${folder}: ${without.length} of ${exported} exported names have none\n`)
}
process.exitCode = missing.length === 0 ? 0 : 1
