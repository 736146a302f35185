/** `lead-signals completions …`. */
import * as Options from "@effect/cli/Options"
import {
  CommandProcess,
  completionsFor,
  completionsPlace,
  Failed,
  group,
  isShell,
  leaf,
  type Node,
  type Shell,
  shells,
  usage
} from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { print, write } from "./Output.ts"
import { json } from "./OperatorCommand.ts"

/** Null: no such file. */
const contentOf = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}

/** Writes the script where it is not there yet. Answers what it did. */
const install = (
  file: string,
  script: string
): Effect.Effect<"installed" | "updated" | "unchanged", Failed> =>
  Effect.try({
    try: () => {
      const before = contentOf(file)
      if (before === script) return "unchanged" as const
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, script)
      return before === null ? ("installed" as const) : ("updated" as const)
    },
    catch: (error) =>
      new Failed({
        message: `${file} can't be written: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`
      })
  })

/** The commands, given the tree in which they stand themselves. */
export const completionsCommand = (root: () => Node): Node => {
  const printLeaf = (shell: Shell) =>
    leaf(shell, { summary: `Prints the script for ${shell}` }, {}, () => write(completionsFor(shell, root())))
  const installLeaf = leaf(
    "install",
    {
      summary: "Installs the script for your shell, and says where",
      details: [
        "It writes one file in your own folder of the shell, and changes no other. Again it changes nothing."
      ]
    },
    {
      shell: Options.choice("shell", shells).pipe(
        Options.withDescription("The shell [that of the variable SHELL]"),
        Options.optional
      ),
      json
    },
    (given) =>
      Effect.gen(function* () {
        const { env } = yield* CommandProcess
        const shell = Option.getOrElse(given.shell, () => basename(env["SHELL"] ?? ""))
        if (!isShell(shell)) return yield* usage("--shell is required: bash, zsh or fish.")
        const place = completionsPlace(shell, root().name, env)
        if (place === null)
          return yield* usage(
            "HOME is not set; `completions SHELL` prints the script for a place of your own."
          )
        const { file, once } = place
        const done = yield* install(file, completionsFor(shell, root()))
        const text = [
          {
            installed: `The completions for ${shell} are in ${file}.`,
            updated: `The completions for ${shell} in ${file} are up to date again.`,
            unchanged: `The completions for ${shell} were in ${file} already.`
          }[done],
          ...once,
          ...(done === "unchanged" ? [] : ["Open a new shell to use them."])
        ]
        yield* print(given.json, { shell, file, done }, text.join("\n"))
      })
  )
  return group(
    "completions",
    {
      summary: "Prints or installs completions of commands, options and their values",
      examples: [["lead-signals completions install", "for the shell that you use"]]
    },
    [installLeaf, printLeaf("bash"), printLeaf("zsh"), printLeaf("fish")]
  )
}
