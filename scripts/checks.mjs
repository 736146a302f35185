/** `npm test`: format, lint and types, all at once, then all tests; what fails ends it. */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (folder, name) => join(root, folder, "node_modules", ".bin", name)

const checks = [
  ["format", bin(".", "prettier"), ["--check", "--log-level", "warn", "."]],
  ["lint", bin(".", "oxlint"), ["--deny-warnings"]],
  ["types", bin(".", "tsc"), ["-b"]]
]

/** What a step ended with, after which time, and what it said unless that was shown at once. */
const run = (command, args, cwd, stdio) =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const child = spawn(command, args, { cwd, stdio, shell: process.platform === "win32" })
    let told = ""
    child.stdout?.on("data", (chunk) => (told += chunk))
    child.stderr?.on("data", (chunk) => (told += chunk))
    child.on("error", (error) => (told += `${error.message}\n`))
    child.on("close", (status) => {
      resolve({ status: status ?? 1, told, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) })
    })
  })

const report = (name, { seconds, status, told }) => {
  process.stdout.write(`\n— ${name}\n${told}`)
  process.stdout.write(status === 0 ? `  ${name}: ${seconds} s\n` : `\n${name} failed.\n`)
  return status
}

const started = checks.map(([name, command, args]) => [
  name,
  run(command, args, root, ["ignore", "pipe", "pipe"])
])
let failed = 0
for (const [name, ended] of started) failed ||= report(name, await ended)
if (failed !== 0) process.exit(failed)

const tests = await run(
  bin("test", "vitest"),
  ["run", ...process.argv.slice(2)],
  join(root, "test"),
  "inherit"
)
process.exit(report("tests", tests))
