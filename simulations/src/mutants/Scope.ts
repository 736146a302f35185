/** What is mutated: the modules, and the parts of them that do anything. Types, documentation and log texts do nothing. */
import type ts from "typescript"
import type { TypeScript } from "../bugs/SyntaxEdit.ts"

/** Modules that are left out, from the root of the repository, with the reason. */
export const omittedModules: ReadonlyMap<string, string> = new Map([
  ["packages/domain/src/text/CaseFoldingTable.ts", "a table made from Unicode's data"],
  ["packages/domain/src/text/Unicode16Table.ts", "a table made from Unicode's data"],
  ["packages/http/src/contract/Documentation.ts", "words of the OpenAPI document"],
  ["packages/http/src/contract/DocumentedView.ts", "types"],
  ["packages/http/src/contract/ErrorExamples.ts", "examples of the OpenAPI document"],
  ["packages/http/src/contract/FieldDescriptions.ts", "words of the OpenAPI document"],
  ["packages/http/src/contract/Fields.ts", "words of the OpenAPI document"],
  ["packages/http/src/contract/OpenApi.ts", "words of the OpenAPI document"],
  ["packages/http/src/contract/ObservationSchema.ts", "words of the OpenAPI document"],
  ["packages/store-sqlite/src/simulation/HostFile.ts", "a part of the simulator"],
  ["packages/store-sqlite/src/simulation/TextsInMemory.ts", "a part of the simulator"],
  ["packages/store-sqlite/src/simulation/Simulation.ts", "a part of the simulator"]
])

/** Calls whose arguments are words for people who read logs, traces or the document. */
const wordingCalls =
  /^(?:Effect\.(?:log\w*|annotateLogs|annotateCurrentSpan|withSpan|withLogSpan)|OpenApi\.\w+|HttpApiSchema\.annotations)$/

/** Properties that hold such words, in the HTTP package. */
const wordingProperties = new Set([
  "answer",
  "description",
  "documentation",
  "example",
  "examples",
  "fields",
  "identifier",
  "jsonSchema",
  "summary",
  "title"
])

/** Whether nothing within the node is mutated. */
export const isOmitted = (ts: TypeScript, file: string) => {
  const isOfHttp = file.startsWith("packages/http/")
  /** Statuses, codes and messages of failures are no words of the document. */
  const isOfContract =
    file.startsWith("packages/http/src/contract/") && file !== "packages/http/src/contract/Failures.ts"
  const isDescriptions = (name: ts.Node): boolean =>
    ts.isIdentifier(name) && /[dD]escriptions$/.test(name.text)

  const isWordingArgument = (node: ts.Node): boolean => {
    const { parent } = node
    if (!ts.isCallExpression(parent) || parent.expression === node) return false
    const callee = parent.expression
    if (wordingCalls.test(callee.getText())) return true
    if (!isOfHttp) return false
    if (ts.isIdentifier(callee)) return /^(?:parameter|pathParameter)$/.test(callee.text)
    if (!ts.isPropertyAccessExpression(callee)) return false
    return (
      callee.name.text === "annotations" ||
      (callee.name.text === "annotate" && parent.arguments[0]!.getText().startsWith("OpenApi."))
    )
  }

  /** The text of an error that only a programmer sees. */
  const isDefectText = ({ parent }: ts.Node): boolean =>
    ts.isNewExpression(parent) && /^(?:Type|Range)?Error$/.test(parent.expression.getText())

  const isWordingProperty = (node: ts.Node): boolean => {
    if (ts.isShorthandPropertyAssignment(node)) return wordingProperties.has(node.name.text)
    if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name)) return false
    const isBodyInWords = node.name.text === "body" && ts.isStringLiteralLike(node.initializer)
    return isBodyInWords || wordingProperties.has(node.name.text)
  }

  return (node: ts.Node): boolean =>
    ts.isTypeNode(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    isWordingArgument(node) ||
    isDefectText(node) ||
    (isOfHttp && ts.isVariableDeclaration(node) && isDescriptions(node.name)) ||
    (isOfHttp && isWordingProperty(node)) ||
    (isOfContract && (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)))
}
