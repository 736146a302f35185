/** Completions of the shells, by the shells themselves where they are installed. */
import { execFile, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCommand } from "../harness/CommandRun.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()

const isInstalled = (shell: string): boolean => {
  const found = spawnSync(shell, ["--version"]).status === 0
  if (!found) process.stderr.write(`There is no ${shell}: its completions are not tried out.\n`)
  return found
}

const output = (command: string, args: ReadonlyArray<string>, home = folder): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile(
      command,
      [...args],
      { cwd: home, env: { PATH: `${home}/bin:${process.env["PATH"]}`, HOME: home } },
      (error, out, err) => (error === null && err === "" ? resolve(out) : reject(error ?? new Error(err)))
    )
  )

/** What completes after these words, by shell. The last word is what was begun. */
const completing = {
  bash: async (script: string, words: ReadonlyArray<string>) => {
    const called = words.map((word) => `"${word}"`).join(" ")
    return output("bash", [
      "--norc",
      "-c",
      `source "${script}"; COMP_WORDS=(lead-signals ${called}); COMP_CWORD=${words.length}; _lead_signals; printf '%s\\n' "\${COMPREPLY[@]}"`
    ])
  },
  zsh: async (script: string, words: ReadonlyArray<string>) => {
    // The widgets that show what was found work in an interactive shell alone.
    const called = words.map((word) => `"${word}"`).join(" ")
    const stubs =
      "compdef() { :; }; _files() { echo FILES; }; compadd() { shift; print -l -- $@; }; _describe() { print -l -- ${found%%:*}; }"
    return output("zsh", [
      "-f",
      "-c",
      `${stubs}; source "${script}"; words=(lead-signals ${called}); CURRENT=${words.length + 1}; _lead_signals`
    ])
  },
  fish: async (script: string, words: ReadonlyArray<string>) =>
    output("fish", ["--no-config", "-c", `source "${script}"; complete -C "lead-signals ${words.join(" ")}"`])
}

const shells = Object.keys(completing) as ReadonlyArray<keyof typeof completing>

describe("lead-signals completions", () => {
  it.each(shells.filter(isInstalled))(
    "complete commands, options and values in %s [CLI-19]",
    async (shell) => {
      const script = join(folder, `script.${shell}`)
      const { out } = await runCommand(["completions", shell])
      expect(out).toBe((await runCommand(["--completions", shell])).out)
      writeFileSync(script, out)
      const complete = async (...words: ReadonlyArray<string>): Promise<Array<string>> =>
        (await completing[shell](script, words))
          .split("\n")
          .flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]))
      expect(await complete("")).toEqual(expect.arrayContaining(["leads", "encryption-key", "completions"]))
      expect(await complete("keys", "")).toEqual(expect.arrayContaining(["list", "create", "revoke"]))
      expect(await complete("keys", "")).not.toContain("erase")
      expect(await complete("webhooks", "rotate-secret", "--")).toEqual(
        expect.arrayContaining(["--brand", "--idempotency-key"])
      )
      expect((await complete("webhooks", "deliveries", "--state", "")).sort()).toEqual([
        "dead",
        "delivered",
        "held",
        "pending"
      ])
      expect(await complete("leads", "export", "--format", "")).toEqual(["csv", "jsonl"])
    }
  )

  /** How a new shell of a user completes `lead-signals keys `, by nothing but what is installed. */
  const completingInstalled = {
    bash: [
      "--norc",
      "-c",
      "source .local/share/bash-completion/completions/lead-signals; complete -p lead-signals"
    ],
    // As the lines that zsh needs once have it.
    zsh: [
      "-f",
      "-c",
      "fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit -u; print $_comps[lead-signals]"
    ],
    fish: ["-c", 'complete -C "lead-signals keys "']
  } satisfies Record<keyof typeof completing, ReadonlyArray<string>>

  it.runIf(isThorough).each(shells.filter(isInstalled))(
    "are found by a new %s of the user that they are installed for [CLI-19]",
    async (shell) => {
      const home = mkdtempSync(join(folder, "user-"))
      // fish looks for the completions of commands that there are.
      mkdirSync(join(home, "bin"))
      writeFileSync(join(home, "bin", "lead-signals"), "#!/bin/sh\n", { mode: 0o755 })
      await runCommand(["completions", "install", "--shell", shell], { HOME: home })
      const found = await output(shell, completingInstalled[shell], home)
      expect(found).toContain({ bash: "_lead_signals", zsh: "_lead-signals", fish: "revoke" }[shell])
    }
  )

  it("are installed in the user's folder, once, and say where [CLI-19]", async () => {
    const home = join(folder, "home")
    const places = {
      bash: ".local/share/bash-completion/completions/lead-signals",
      zsh: ".zfunc/_lead-signals",
      fish: ".config/fish/completions/lead-signals.fish"
    }
    for (const shell of shells) {
      const file = join(home, places[shell])
      const env = { HOME: home, SHELL: `/usr/bin/${shell}` }
      const first = await runCommand(["completions", "install"], env)
      expect(first).toMatchObject({ code: 0, err: "" })
      expect(first.out).toContain(`The completions for ${shell} are in ${file}.`)
      const { mtimeMs } = statSync(file)
      expect(readFileSync(file, "utf8")).toBe((await runCommand(["completions", shell])).out)
      const second = await runCommand(["completions", "install", "--shell", shell, "--json"], env)
      expect(JSON.parse(second.out)).toEqual({ shell, file, done: "unchanged" })
      expect(statSync(file).mtimeMs).toBe(mtimeMs)
      writeFileSync(file, "of an earlier version")
      expect((await runCommand(["completions", "install"], env)).out).toContain("up to date again")
    }
    const other = { HOME: home, BASH_COMPLETION_USER_DIR: join(folder, "own") }
    expect((await runCommand(["completions", "install", "--shell", "bash"], other)).out).toContain(
      join(folder, "own")
    )
    for (const env of [
      { HOME: home, SHELL: "/bin/tcsh" },
      { HOME: "", SHELL: "/bin/bash" }
    ])
      expect((await runCommand(["completions", "install"], env)).code).toBe(2)
    writeFileSync(join(folder, "taken"), "")
    const blocked = await runCommand(["completions", "install", "--shell", "fish"], {
      HOME: join(folder, "taken")
    })
    expect([blocked.code, blocked.err]).toEqual([1, expect.stringContaining("can't be written: ENOTDIR")])
  })
})
