/** Bugs put in on purpose, and the hunt for them: of this workspace, whose sources they change. Not packed. */
export { huntAll, type Hunted } from "./BugHunt.ts"
export type { SourceChange } from "./bugs/Bug.ts"
export { type Bug, bugNamed, bugs } from "./bugs/index.ts"
export * as Planting from "./bugs/Planting.ts"
export { syntaxEditor } from "./bugs/SyntaxEdit.ts"
