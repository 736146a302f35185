/** The walks of docs/extending.md: each patch applies, compiles, and works as its own tests say. */
import { execFile, execFileSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { updateWalk, type Walk, walks } from "../../scripts/walks.mjs"
import { isThorough } from "../harness/Thoroughness.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const all = walks()

const git = (folder: string, args: ReadonlyArray<string>, input = ""): string => {
  // Without a repository of its own the folder counts as no part of another one.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, "..") }
  return execFileSync("git", args, { cwd: folder, input, env, encoding: "utf8", stdio: "pipe" })
}

const apply = (folder: string, { patch }: Walk, ...options: ReadonlyArray<string>): void => {
  git(folder, ["apply", ...options], patch)
}

/** Whether the folder has all that the walk adds. */
const isMade = (folder: string, { madePatch }: Walk): boolean => {
  try {
    git(folder, ["apply", "--reverse", "--check"], madePatch)
    return true
  } catch {
    return false
  }
}

/** A copy of the page and of all files that a walk touches. */
const copyTouched = (): string => {
  const folder = temporaryFolder()
  const paths = new Set(["docs/extending.md", ...all.flatMap(({ files }) => files.map(({ path }) => path))])
  for (const path of paths)
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true })
  return folder
}

/** Rejects with what the program printed. */
const run = (folder: string, ...args: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...process.env, THOROUGH_TESTS: "false" }, maxBuffer: 1e8 }
    execFile(process.execPath, args, options, (failure, stdout, stderr) =>
      failure === null ? resolve() : reject(new Error(`${failure.message}\n${stdout}${stderr}`))
    )
  })

describe("docs/extending.md", () => {
  it("has a walk for each of what is often added", () => {
    expect(all.map(({ title }) => title)).toEqual([
      "Add a filter",
      "Add a field to leads",
      "Add an event type",
      "Add an operator call",
      "Add a store"
    ])
    const [filter, field] = all.map(({ touched }) => touched[0]!)
    expect(filter).toBeLessThanOrEqual(6)
    expect(field).toBeLessThanOrEqual(12)
  })

  it.each(all)(
    "says how many files it touches, and why each: $title",
    ({ files, stated, title, touched }) => {
      expect(stated).toEqual(touched)
      const text = readFileSync(join(root, "docs/extending.md"), "utf8")
      const row = text.split("\n").find((line) => line.startsWith(`| [${title}]`))!
      expect(row.split("|").slice(2, 4).map(Number)).toEqual(touched)
      for (const { diff, path, reason } of files) {
        expect(diff.match(/^\+\+\+ .*$/gm)).toEqual([`+++ b/${path}`])
        expect(reason.trim()).not.toBe("")
      }
    }
  )

  it.each(all)("has a patch that applies, unless the walk is made: $title", (walk) => {
    if (!isMade(root, walk)) apply(root, walk, "--check")
  })

  // The first by default.
  it.each(all.filter((walk) => !isMade(root, walk)).slice(0, isThorough ? all.length : 1))(
    "has patches that apply after another walk was made and kept: $title",
    (walk) => {
      const folder = copyTouched()
      apply(folder, walk)
      for (const other of walks(folder)) {
        if (other.title === walk.title) expect(isMade(folder, other)).toBe(true)
        else if (!isMade(folder, other)) apply(folder, other, "--check")
      }
    }
  )

  it.runIf(isThorough)(
    "takes the diffs of a commit, without rejected parts and the blanks of empty lines",
    () => {
      const folder = copyTouched()
      const page = join(folder, "docs/extending.md")
      const before = readFileSync(page, "utf8")
      const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
      const commit = () => {
        git(folder, ["add", "--all"])
        git(folder, [...identity, "-c", "commit.gpgsign=false", "commit", "--quiet", "--message=test"])
      }
      const walk = all.find((each) => !isMade(root, each))!
      git(folder, ["init", "--quiet"])
      commit()
      apply(folder, walk)
      writeFileSync(join(folder, `${walk.files[0]!.path}.rej`), "")
      commit()
      updateWalk(walk.title, "HEAD", folder)
      const withoutIndexes = (text: string) => text.replace(/^@@ .*$/gm, "@@")
      expect(withoutIndexes(readFileSync(page, "utf8"))).toBe(withoutIndexes(before))
      writeFileSync(join(folder, "new.ts"), "")
      commit()
      expect(() => updateWalk(walk.title, "HEAD", folder)).toThrow("does not say why it touches new.ts")
    }
  )

  it("shows all lines that check a store", () => {
    const text = readFileSync(join(root, "docs/extending.md"), "utf8")
    expect(text).toContain(readFileSync(join(root, "examples/own-store/src/contract.test.ts"), "utf8"))
  })
})

/** Whether a path is one of the sources, and not of what is installed or made. */
const isSource = (path: string): boolean => {
  const name = basename(path)
  return !["node_modules", "dist"].includes(name) && !name.startsWith(".") && !name.endsWith(".tsbuildinfo")
}

/** Copies the sources, with links to the installed packages. */
const copyRepository = (folder: string): void => {
  for (const name of readdirSync(root).filter((each) => isSource(join(root, each))))
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isSource })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const inside = (parent: string) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
  for (const member of [...inside("packages"), ...inside("examples"), "simulations", "test"]) {
    const links = join(member, "node_modules")
    // Links to members of the workspace are relative: they lead to the copy.
    if (existsSync(join(root, links)))
      cpSync(join(root, links), join(folder, links), { recursive: true, verbatimSymlinks: true })
  }
}

const contracts = ["store-memory/contract", "store-sqlite/contract", "store-postgres/contract"]

describe.runIf(isThorough)("a copy of the repository after all walks, one on top of the other", () => {
  let folder = ""
  beforeAll(() => {
    folder = temporaryFolder()
    copyRepository(folder)
  })

  it.each(all)("takes the patch: $title", async ({ title }) => {
    const walk = walks(folder).find((each) => each.title === title)!
    if (isMade(folder, walk)) return
    apply(folder, walk)
    if (walk.patch.includes("apiVersion")) await run(folder, "scripts/openapi.mjs", "--baseline")
  })

  it("compiles", () => run(folder, "node_modules/typescript-native/bin/tsc", "-b"))

  it("passes the tests that the walks add or change, and the contract of each store", () => {
    const paths = all.flatMap(({ files }) => files.map(({ path }) => path))
    const tests = paths.filter((path) => path.endsWith(".test.ts")).map((path) => path.replace("test/", ""))
    const vitest = ["test/node_modules/vitest/vitest.mjs", "run", "--root", "test"]
    return run(folder, ...vitest, "http/openapi", ...contracts, ...new Set(tests))
  })
})
