/** Completion scripts of shells, and where each shell looks for those of its user. */
import { join } from "node:path"
import { bashCompletions } from "./BashCompletions.ts"
import type { Node } from "./CommandTree.ts"
import { fishCompletions, zshCompletions } from "./ShellCompletions.ts"

/** The shells that have a script. */
export const shells = ["bash", "zsh", "fish"] as const

/** One of `shells`. */
export type Shell = (typeof shells)[number]

/** Whether the word names one of `shells`. */
export const isShell = (word: string | undefined): word is Shell => shells.includes(word as Shell)

/** The script of a shell, which completes commands, options and their values. */
export const completionsFor = (shell: Shell, root: Node): string =>
  ({ bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions })[shell](root)

/** Where the script of a shell goes for one user. */
export interface CompletionsPlace {
  readonly file: string
  /** What the user has to do once for the shell to find the file; empty where it looks there by itself. */
  readonly once: ReadonlyArray<string>
}

/** The user's place for a program's script, by the variables that the shells read. Null: the user has no home. */
export const completionsPlace = (
  shell: Shell,
  name: string,
  env: Readonly<Record<string, string | undefined>>
): CompletionsPlace | null => {
  const home = env["HOME"] ?? ""
  const under = (variable: string, ...rest: ReadonlyArray<string>): string | null => {
    const set = env[variable] ?? ""
    return set !== "" ? set : home === "" ? null : join(home, ...rest)
  }
  if (shell === "bash") {
    const own = env["BASH_COMPLETION_USER_DIR"] ?? ""
    const data = under("XDG_DATA_HOME", ".local", "share")
    const folder = own !== "" ? own : data === null ? null : join(data, "bash-completion")
    if (folder === null) return null
    const file = join(folder, "completions", name)
    return {
      file,
      once: [
        "The package bash-completion loads it in new shells. Without that package, add to ~/.bashrc:",
        `  source "${file}"`
      ]
    }
  }
  if (shell === "fish") {
    const config = under("XDG_CONFIG_HOME", ".config")
    return config === null ? null : { file: join(config, "fish", "completions", `${name}.fish`), once: [] }
  }
  const dot = under("ZDOTDIR")
  if (dot === null || (dot === "" && home === "")) return null
  const folder = join(dot === "" ? home : dot, ".zfunc")
  return {
    file: join(folder, `_${name}`),
    once: [
      "Unless your .zshrc has them, add these lines to it:",
      `  fpath=("${folder}" $fpath)`,
      "  autoload -Uz compinit && compinit"
    ]
  }
}
