/** `npm test`: format, lint, types and all tests, one after the other; the first that fails ends it. */
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (folder, name) => join(root, folder, "node_modules", ".bin", name)

const steps = [
  ["format", bin(".", "prettier"), ["--check", "--log-level", "warn", "."], root],
  ["lint", bin(".", "oxlint"), ["--deny-warnings"], root],
  ["types", bin(".", "tsc"), ["-b"], root],
  ["tests", bin("test", "vitest"), ["run", ...process.argv.slice(2)], join(root, "test")]
]

for (const [name, command, args, cwd] of steps) {
  const startedAt = performance.now()
  process.stdout.write(`\n— ${name}\n`)
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit", shell: process.platform === "win32" })
  if (status !== 0) {
    process.stdout.write(`\n${name} failed.\n`)
    process.exit(status ?? 1)
  }
  process.stdout.write(`  ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}
