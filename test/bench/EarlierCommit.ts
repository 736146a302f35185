/** The server of an earlier commit, built over the packages that this clone has installed, and its file with the data. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { checkOut } from "../upgrades/EarlierRelease.ts"
import type { Progress } from "./BulkLoad.ts"
import { folder } from "./Files.ts"
import { UsageError } from "./Options.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Builds the server as this tree's, and makes the file as the commit's own benchmark does, since its schema is another one. Commits
 * before 5c7271c8 bundle the server alone, and no other module.
 */
const program = `
import * as bundle from "../../scripts/bundle.mjs"
import { databaseOf } from "./Files.ts"
const [entry, outfile, leads] = process.argv.slice(2)
await (bundle.bundleModule === undefined ? bundle.bundleServer(outfile) : bundle.bundleModule(entry, outfile))
const file = await databaseOf("subject", Number(leads), { say: (text) => void process.stderr.write(text + "\\n") })
process.stdout.write(JSON.stringify({ file }))
`

/** An earlier commit with its sources in a folder of its own, which stays until another commit is compared. */
export interface EarlierCommit {
  /** The commit's full name. */
  readonly commit: string
  readonly folder: string
}

/** The sources of a commit, below the benchmark's folder, where they stay until another commit is compared. Throws `UsageError`. */
export const earlierCommit = (name: string): EarlierCommit => {
  let commit: string
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]
    commit = execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
  } catch {
    throw new UsageError(`--against takes a commit that this clone has, not "${name}"`)
  }
  mkdirSync(folder, { recursive: true })
  const own = `commit-${commit}`
  for (const each of readdirSync(folder))
    if (each.startsWith("commit-") && each !== own)
      rmSync(join(folder, each), { recursive: true, force: true })
  const checkedOut = join(folder, own)
  checkOut(commit, checkedOut, ["packages", "simulations", "scripts", "test", "docs", "package.json"])
  return { commit, folder: checkedOut }
}

/** A bundle of the commit's server, and its file of so many leads, which is made once. */
export const subjectOf = async (
  earlier: EarlierCommit,
  leads: number,
  { say }: Progress
): Promise<{ readonly subject: string; readonly file: string }> => {
  const bench = join(earlier.folder, "test", "bench")
  const script = join(bench, "SubjectOfCommit.ts")
  writeFileSync(script, program)
  const subject = join(earlier.folder, "server.mjs")
  const tsx = pathToFileURL(createRequire(join(root, "package.json")).resolve("tsx")).href
  say(`${leads.toLocaleString("en")} leads: building ${earlier.commit.slice(0, 10)}`)
  const entry = join(earlier.folder, "packages", "server", "src", "main.ts")
  const child = spawn(process.execPath, ["--import", tsx, script, entry, subject, String(leads)], {
    cwd: earlier.folder,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk) => (out += chunk))
  child.stderr.on("data", (chunk) => {
    err += chunk
    say(String(chunk).trim().split("\n").at(-1)!)
  })
  const [code] = await once(child, "close")
  if (code !== 0)
    throw new Error(`${earlier.commit} can't be built over these packages:\n${err.slice(-3000)}`)
  return { subject, file: (JSON.parse(out) as { readonly file: string }).file }
}
