/** Command lines of this project: a tree of commands over @effect/cli, with help, suggestions and exit codes of its own. */
export { Failed, group, leaf, type Node, type Program, realConsole, usage } from "./CommandTree.ts"
export { CommandProcess, type InputStream, type OutputStream } from "./CommandProcess.ts"
export { help, helpTree } from "./CommandHelp.ts"
export { exitCodes } from "./ExitCodes.ts"
export { execute, run } from "./RunCommand.ts"
export { meant } from "./Suggestions.ts"
export { shellQuoted } from "./ShellCompletions.ts"
export { completionsFor, completionsPlace, isShell, type Shell, shells } from "./Completions.ts"
