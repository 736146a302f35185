/** Runs the checks side by side and prints each with its name, what it wrote and how long it took. */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const commandIn = (folder, name) => join(root, folder, "node_modules", ".bin", name)

export const staticChecks = {
  format: [commandIn(".", "oxfmt"), ["--list-different"]],
  lint: [commandIn(".", "oxlint"), ["--deny-warnings"]],
  docstrings: ["node", [join(root, "scripts", "docstrings.mjs")]],
  names: ["node", [join(root, "scripts", "names.mjs")]],
  unused: [commandIn(".", "knip"), ["--no-progress", "--treat-config-hints-as-errors"]],
  // Two compilers have a command of this name. One thread takes half the work of many: the other processors have other checks.
  types: ["node", [join(root, "node_modules", "typescript-native", "bin", "tsc"), "-b", "--singleThreaded"]]
}

/** Answers the exit code, the seconds it took, and its output unless `stdio` has it shown at once. */
export const runStep = (command, args, cwd, stdio) =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const child = spawn(command, args, { cwd, stdio, shell: process.platform === "win32" })
    let output = ""
    child.stdout?.on("data", (chunk) => (output += chunk))
    child.stderr?.on("data", (chunk) => (output += chunk))
    child.on("error", (error) => (output += `${error.message}\n`))
    child.on("close", (status) => {
      resolve({ status: status ?? 1, output, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) })
    })
  })

export const report = (name, { output, seconds, status }) => {
  process.stdout.write(`\n— ${name}\n${output}`)
  process.stdout.write(status === 0 ? `  ${name}: ${seconds} s\n` : `\n${name} failed.\n`)
  return status
}

/** Starts the named check; resolves to its result. */
const startStaticCheck = (name) => runStep(...staticChecks[name], root, ["ignore", "pipe", "pipe"])

/** Runs the named checks at once; answers the exit code of the first that failed, or 0. */
export const runStaticChecks = async (names) => {
  const started = names.map((name) => [name, startStaticCheck(name)])
  let failed = 0
  for (const [name, ended] of started) failed ||= report(name, await ended)
  return failed
}
