/** The libraries as others get them: packed, checked, installed outside the workspace, compiled against and run. */
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const require = createRequire(import.meta.url)
const folder = temporaryFolder()
const packs = join(folder, "packs")
const project = join(folder, "project")

const exec = promisify(execFile)
const run = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  try {
    const { stdout } = await exec(command, [...args], {
      cwd,
      maxBuffer: 1 << 26,
      env: { ...process.env, NO_COLOR: "1" }
    })
    return stdout
  } catch (failure) {
    const { stderr, stdout } = failure as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(" ")}:\n${stdout}\n${stderr}`, { cause: failure })
  }
}

const readme = readFileSync(join(root, "README.md"), "utf8")
const examples = Array.from(readme.matchAll(/^```ts run\n([\s\S]*?)^```/gm), ([, code]) => code!)

let tarballs: ReadonlyArray<string> = []

beforeAll(async () => {
  await run(process.execPath, [join(root, "scripts", "pack.mjs"), packs, "--keep"], root)
  tarballs = readdirSync(packs).map((name) => join(packs, name))
})

/** A file of a package as it was packed. */
const packed = async (tarball: string, file: string): Promise<string> =>
  run("tar", ["-xzOf", tarball, `package/${file}`], folder)

describe("the packed libraries", () => {
  it("have exports that resolve, peers for what hosts share, and nothing of the workspace in them", async () => {
    expect(tarballs).toHaveLength(9)
    for (const tarball of tarballs) {
      const manifest = JSON.parse(await packed(tarball, "package.json"))
      const entries = Object.values(manifest.exports as Record<string, string>)
      for (const entry of entries) expect(entry).toMatch(/^\.\/dist\/.*\.js$/)
      expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/)
      expect(manifest.peerDependencies).toHaveProperty("effect")
      expect(manifest.dependencies ?? {}).not.toHaveProperty("effect")
      expect(manifest.dependencies ?? {}).not.toHaveProperty("@effect/platform")
      const files = (await run("tar", ["-tzf", tarball], folder)).split("\n")
      for (const entry of entries) {
        const file = `package/${entry.slice(2)}`
        expect(files).toEqual(expect.arrayContaining([file, file.replace(/\.js$/, ".d.ts"), `${file}.map`]))
      }
      const stray = files.filter((name) => /\.test\.|tsbuildinfo|\/bugs\/|\/report\/|\.scratch/.test(name))
      expect(stray).toEqual([])
      for (const name of files.filter((each) => /\.(js|d\.ts)$/.test(each)).slice(0, 40)) {
        const code = await packed(tarball, name.replace("package/", ""))
        expect([name, /from "[^"]*\.ts"/.exec(code)]).toEqual([name, null])
        expect(code).not.toContain(root)
      }
    }
  })

  it("are clean by publint and are-the-types-wrong", async () => {
    for (const tarball of tarballs) {
      const bytes = readFileSync(tarball)
      const { messages } = await publint({ strict: true, pack: { tarball: new Uint8Array(bytes).buffer } })
      expect([tarball, messages]).toEqual([tarball, []])
      const analysis = await checkPackage(createPackageFromTarballData(bytes))
      if (analysis.types === false) throw new Error(`${tarball} has no types`)
      // By `require`, and by resolution as it was before exports, nobody is served.
      const problems = analysis.problems.filter(
        (problem) => !("resolutionKind" in problem) || !/cjs|node10/.test(problem.resolutionKind)
      )
      expect([tarball, problems]).toEqual([tarball, []])
    }
  })

  it("run the README's examples in an empty project with plain Node, and type-check them strictly [LIST-4]", async () => {
    mkdirSync(project)
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "a-host", private: true, type: "module" })
    )
    const needed = ["client", "domain", "embedded", "http", "store-memory", "webhook"]
    const chosen = tarballs.filter((tarball) =>
      needed.some((name) => tarball.includes(`lead-signals-${name}-0`))
    )
    expect(chosen).toHaveLength(needed.length)
    const npm = process.platform === "win32" ? "npm.cmd" : "npm"
    await run(npm, ["install", "--no-audit", "--no-fund", "--prefer-offline", ...chosen], project)
    const installed = JSON.parse(
      readFileSync(join(project, "node_modules", "effect", "package.json"), "utf8")
    )
    expect(installed.version).toMatch(/^3\./)

    examples.forEach((code, i) => writeFileSync(join(project, `example-${i}.ts`), code))
    const config = {
      compilerOptions: {
        target: "ES2022",
        module: "NodeNext",
        lib: ["ES2022", "DOM", "DOM.Iterable"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        // Node's own types would be one more package; the client's example reads process.env.
        types: [],
        outDir: "out"
      },
      include: ["*.ts"]
    }
    writeFileSync(
      join(project, "process.d.ts"),
      "declare const process: { readonly env: Record<string, string | undefined> }\n"
    )
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config))
    await run(process.execPath, [require.resolve("typescript/bin/tsc")], project)
    const told = await Promise.all(
      examples
        .map((code, i) => ({ code, i }))
        // That of the client needs a server; the README's own test has one.
        .filter(({ code }) => !code.includes("process.env"))
        .map(({ i }) => run(process.execPath, [join("out", `example-${i}.js`)], project))
    )
    expect(told).toHaveLength(3)
    expect(told[0]).toContain("[ 'Ada Example' ]")
    expect(told[0]).toContain("200 { status: 'ok' }")
    expect(told[1]).toContain("200 { status: 'ok' }")
    expect(told[2]).toContain("1")
  })
})
