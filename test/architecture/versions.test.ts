/** One version for everything, and a release that changes it everywhere. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { program } from "@lead-signals/server/internal"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const textIn = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8")
const { version } = JSON.parse(textIn(root, "package.json")) as { readonly version: string }

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
  .trim()
  .split("\n")
  .filter((path) => existsSync(join(root, path)))

const manifests = files.filter((path) => /(?:^|\/)package\.json$/.test(path))

/** The version of each package that has one. */
const versionsIn = (folder: string): ReadonlyArray<string> =>
  manifests.flatMap((path) => {
    const found = (JSON.parse(textIn(folder, path)) as { readonly version?: string }).version
    return found === undefined ? [] : [found]
  })

describe("the version", () => {
  it("is one in all packages and in the programs", () => {
    expect(new Set(versionsIn(root))).toEqual(new Set([version]))
    expect(program.version).toBe(version)
    expect(textIn(root, "simulations/src/cli/CommandLine.ts")).toContain(`version: "${version}"`)
  })

  it("is that of the newest release in the changelog, once there is one", () => {
    const [newest = version] = Array.from(
      textIn(root, "CHANGELOG.md").matchAll(/^## (\d\S+) - \d{4}-\d\d-\d\d$/gm),
      ([, each]) => each!
    )
    expect(newest).toBe(version)
  })
})

describe("npm run release", () => {
  const release = (folder: string, given: string) =>
    spawnSync(process.execPath, [join(root, "scripts/release.mjs"), given, folder], { encoding: "utf8" })

  it("gives everything the version, and the changes of the changelog its heading", () => {
    const folder = temporaryFolder()
    const wanted = files.filter(
      (path) =>
        manifests.includes(path) ||
        /^deploy\/|\/cli\/CommandLine\.ts$|^CHANGELOG\.md$|^docs\/(?:operations|command-line)\.md$/.test(path)
    )
    for (const path of wanted) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(join(root, path), join(folder, path))
    }
    const log = textIn(folder, "CHANGELOG.md")
    writeFileSync(
      join(folder, "CHANGELOG.md"),
      log.replace(/^## Unreleased\n\n(?=## )/m, "## Unreleased\n\n### Added\n\n- Something.\n\n")
    )
    for (const refused of ["", "next", version, "0.0.9"]) {
      const { status, stderr } = release(folder, refused)
      expect([refused, status, stderr]).toEqual([
        refused,
        1,
        expect.stringContaining("Usage: npm run release -- VERSION")
      ])
    }
    expect(release(folder, "99.1.0").status).toBe(0)
    expect(new Set(versionsIn(folder))).toEqual(new Set(["99.1.0"]))
    for (const path of wanted.filter((each) => !each.endsWith("CHANGELOG.md"))) {
      const left = textIn(folder, path)
        .split("\n")
        .filter((line) => /lead-signals:|version: "/.test(line) && line.includes(version))
      expect([path, left]).toEqual([path, []])
    }
    expect(textIn(folder, "CHANGELOG.md")).toMatch(
      /## Unreleased\n\n## \[99\.1\.0\] - \d{4}-\d\d-\d\d\n\n### Added/
    )
    // Nothing is left to release.
    expect([release(folder, "99.2.0").status, release(folder, "99.2.0").stderr]).toEqual([
      1,
      expect.stringContaining("nothing under")
    ])
  })
})
