/** The libraries as others get them: packed, checked, installed outside the workspace, compiled against and run. */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { drive, seen } from "../harness/ExampleClient.ts"
import { endAll, startExample } from "../harness/ExampleProcess.ts"
import { blocksOf, isOutput, isProgram, missingIn } from "../harness/PageBlocks.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const require = createRequire(import.meta.url)
const folder = temporaryFolder()
const packs = join(folder, "packs")

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

const isPacked = (folder: string): boolean =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).publishConfig !== undefined
const readmes = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "simulations"]
  .filter(isPacked)
  .map((library) => `${library}/README.md`)
/** The TypeScript of the documentation, each with what its page shows as its output. */
const examples = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`), ...readmes]
  .filter((page) => page.endsWith(".md"))
  .flatMap((page) => {
    const blocks = blocksOf(readFileSync(join(root, page), "utf8"))
    return blocks.flatMap((block, i) => {
      if (block.language !== "ts" || block.words[0] !== "run") return []
      return [{ page, block, rendered: blocks[i + 1] }]
    })
  })

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
    expect(tarballs).toHaveLength(15)
    for (const tarball of tarballs) {
      const manifest = JSON.parse(await packed(tarball, "package.json"))
      const entries = Object.values(manifest.exports as Record<string, string>)
      for (const entry of entries) expect(entry).toMatch(/^\.\/dist\/.*\.js$/)
      expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/)
      expect(manifest.engines).toEqual({ node: ">=22.14" })
      expect(manifest.dependencies ?? {}).not.toHaveProperty("effect")
      expect(manifest.dependencies ?? {}).not.toHaveProperty("@effect/platform")
      const files = (await run("tar", ["-tzf", tarball], folder)).split("\n")
      for (const entry of entries) {
        const file = `package/${entry.slice(2)}`
        expect(files).toEqual(expect.arrayContaining([file, file.replace(/\.js$/, ".d.ts"), `${file}.map`]))
      }
      const stray = files.filter((name) =>
        /\.test\.|tsbuildinfo|\/internal\.|\/bugs\/|\/cli\/|\/nightly\/|\.scratch/.test(name)
      )
      expect(stray).toEqual([])
      const peers = Object.keys(manifest.peerDependencies ?? {})
      for (const name of files.filter((each) => /\.(js|d\.ts)$/.test(each)).slice(0, 40)) {
        const code = await packed(tarball, name.replace("package/", ""))
        if (/from "effect["/]/.test(code))
          expect([name, peers]).toEqual([name, expect.arrayContaining(["effect"])])
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
      // It compiles each package for each way to resolve it.
      const analysis = await checkPackage(createPackageFromTarballData(bytes))
      if (analysis.types === false) throw new Error(`${tarball} has no types`)
      // By `require`, and by resolution as it was before exports, nobody is served.
      const problems = analysis.problems.filter(
        (problem) => !("resolutionKind" in problem) || !/cjs|node10/.test(problem.resolutionKind)
      )
      expect([tarball, problems]).toEqual([tarball, []])
    }
  })

  it("have READMEs that say how to install them, with one program each and what it prints", async () => {
    for (const tarball of tarballs) {
      const { name } = JSON.parse(await packed(tarball, "package.json"))
      const text = await packed(tarball, "README.md")
      expect(text).toMatch(new RegExp(`^# ${name}\\n`))
      expect(text).toContain("```sh\nnpm install ../lead-signals/.packs/*.tgz\n```")
      // An installed package has neither the pages nor the other packages beside it.
      expect([name, text.match(/\]\(\.[^)]*\)/g)]).toEqual([name, null])
      expect(text).toMatch(/`docs\/[\w-]+\.md` in a clone/)
      const blocks = blocksOf(text)
      const rendered = blocks.flatMap((block, n) => (isProgram(block) ? [blocks[n + 1]] : []))
      expect([name, rendered.map((next) => next !== undefined && isOutput(next))]).toEqual([name, [true]])
    }
  })
})

/** `catalog:` in the workspace's manifests, as pnpm-workspace.yaml says it. */
const catalog = (): Readonly<Record<string, string>> => {
  const text = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
  const section = /^catalog:\n((?: {2}.*\n)+)/m.exec(text)![1]!
  return Object.fromEntries(
    Array.from(section.matchAll(/^ {2}"?([^":]+)"?: (.+)$/gm), ([, name, range]) => [name!, range!])
  )
}

describe("the examples, copied out of the repository", () => {
  const outside = join(folder, "examples")
  const names = readdirSync(join(root, "examples")).filter((name) =>
    existsSync(join(root, "examples", name, "package.json"))
  )

  beforeAll(async () => {
    const ranges = catalog()
    const dependencies: Record<string, string> = {}
    for (const name of names) {
      cpSync(join(root, "examples", name, "src"), join(outside, name, "src"), { recursive: true })
      cpSync(join(root, "examples", name, "package.json"), join(outside, name, "package.json"))
      const manifest = JSON.parse(readFileSync(join(outside, name, "package.json"), "utf8"))
      for (const [needed, range] of Object.entries({
        ...manifest.dependencies,
        ...manifest.devDependencies
      })) {
        if (range === "catalog:") dependencies[needed] = ranges[needed]!
      }
    }
    writeFileSync(
      join(outside, "package.json"),
      // docs/embedding.md says why a host with @effect/sql-sqlite-node overrides its driver.
      JSON.stringify({
        name: "hosts",
        private: true,
        type: "module",
        dependencies,
        overrides: { "better-sqlite3": ranges["better-sqlite3"] }
      })
    )
    // The command that pack-libraries prints.
    await run("bash", ["-c", `npm install --no-audit --no-fund --prefer-offline '${packs}'/*.tgz`], outside)
  })
  afterAll(endAll)

  it("resolve one Effect, of the line that the libraries are for", async () => {
    const tree = await run("npm", ["ls", "effect", "--all", "--parseable"], outside)
    expect(new Set(tree.trim().split("\n"))).toEqual(new Set([join(outside, "node_modules", "effect")]))
    const { version } = JSON.parse(
      readFileSync(join(outside, "node_modules", "effect", "package.json"), "utf8")
    )
    expect(version).toMatch(/^3\.22\./)
  })

  it("are loaded by require() from CommonJS", async () => {
    const host = `const { createLeadSignals } = require("@lead-signals/embedded")
const MemoryStore = require("@lead-signals/store-memory")
createLeadSignals({ store: MemoryStore.layer }).then(async (service) => {
  console.log((await service.createBrand("Mine")).name)
  await service.close()
})`
    writeFileSync(join(outside, "host.cjs"), host)
    expect(await run(process.execPath, ["host.cjs"], outside)).toBe("Mine\n")
  })

  it("serve the documentation's programs, which run with plain Node and type-check strictly [LIST-4]", async () => {
    const programs = join(outside, "pages")
    mkdirSync(programs)
    examples.forEach(({ block }, i) => writeFileSync(join(programs, `example-${i}.ts`), block.code))
    const compile = async (types: ReadonlyArray<string>, files: ReadonlyArray<string>): Promise<void> => {
      const compilerOptions = {
        target: "ES2022",
        module: "NodeNext",
        lib: ["ES2022", "DOM", "DOM.Iterable"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: types.length > 0,
        types,
        outDir: "out"
      }
      writeFileSync(join(programs, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
      await run(process.execPath, [require.resolve("typescript/bin/tsc")], programs)
    }
    const needsNode = ({ block }: (typeof examples)[number]): boolean => /from "node:/.test(block.code)
    const filesOf = (isWanted: (example: (typeof examples)[number]) => boolean): ReadonlyArray<string> =>
      examples.flatMap((example, i) => (isWanted(example) ? [`example-${i}.ts`] : []))
    // Hosts elsewhere have no types of Node: the libraries' own types are checked without them.
    const environment = "declare const process: { readonly env: Record<string, string | undefined> }\n"
    writeFileSync(join(programs, "process.d.ts"), environment)
    await compile([], ["process.d.ts", ...filesOf((example) => !needsNode(example))])
    if (examples.some(needsNode)) await compile(["node"], filesOf(needsNode))

    expect(examples.map(({ page }) => page)).toEqual(expect.arrayContaining(["README.md", ...readmes]))
    const missing = await Promise.all(
      examples.map(async ({ block, page, rendered }, i) => {
        // The others need the server of their page: see server/readme.test.ts.
        if (!isProgram(block)) return []
        if (block.code.includes("DATABASE_URL")) {
          if (isWithoutPostgres) return []
          process.env["DATABASE_URL"] = await newDatabase()
        }
        const output = await run(process.execPath, [join("out", `example-${i}.js`)], programs)
        if (rendered === undefined || !isOutput(rendered)) return []
        return missingIn(output, rendered).map((each) => `${page}: ${each}`)
      })
    )
    expect(missing.flat()).toEqual([])
  })

  const page = readFileSync(join(root, "docs/embedding.md"), "utf8")
  const renderedConfig = blocksOf(page).find(({ code }) => code.includes('"compilerOptions"'))!.code

  it("compile as docs/embedding.md says, a file that imports another by its name among them", async () => {
    const project = join(outside, "own-store")
    writeFileSync(join(project, "tsconfig.json"), renderedConfig)
    await run(process.execPath, [require.resolve("typescript/bin/tsc"), "--noEmit"], project)
  })

  // Inside the repository all of them run: see embedded/examples.test.ts.
  const frameworks = ["express", "fastify", "hono", "node-http"]
  it("are those that are run here", () => {
    expect(names).toEqual(
      [
        "domain-only",
        "effect",
        "own-store",
        "own-transaction-postgres",
        "own-transaction-sqlite",
        "express",
        "fastify",
        "hono",
        "node-http"
      ].sort()
    )
  })

  it.each(frameworks)("%s runs", async (name) => {
    const database = join(outside, `${name}.sqlite`)
    const example = await startExample(name, { DATABASE: database }, { folder: join(outside, name) })
    await drive(example)
    expect(await example.end()).toBe(0)
  })

  it("effect runs", async () => {
    const example = await startExample("effect", {}, { folder: join(outside, "effect") })
    await drive({ ...example, url: `${example.url.replace("0.0.0.0", "127.0.0.1")}/lead-signals` })
    await example.end()
  })

  it("domain-only runs", async () => {
    const child = execFile(process.execPath, ["--import", "tsx", "src/main.ts"], {
      cwd: join(outside, "domain-only")
    })
    child.stdin!.end(JSON.stringify(seen(1)))
    const [events] = await Promise.all([text(child.stdout!), once(child, "exit")])
    expect(JSON.parse(events.split("\n")[0]!)).toMatchObject({ event: "lead2.created" })
  })

  it("own-transaction-sqlite runs", async () => {
    const folder = join(outside, "own-transaction-sqlite")
    const output = await run(process.execPath, ["--import", "tsx", "src/main.ts"], folder)
    expect(output.split("\n").slice(0, 2)).toEqual([
      "rolled back: orders 0, leads 0",
      "committed: orders 1, leads 1"
    ])
  })

  it.skipIf(isWithoutPostgres)("own-transaction-postgres runs", async () => {
    process.env["DATABASE_URL"] = await newDatabase()
    const folder = join(outside, "own-transaction-postgres")
    const output = await run(process.execPath, ["--import", "tsx", "src/main.ts"], folder)
    expect(output).toBe("Bo: rolled back\ndeals: Ada\nleads: Ada\n")
  })

  it("own-store runs by plain Node, keeps what it was given, and passes the contract", async () => {
    const folder = join(outside, "own-store")
    // Node 22.14 to 22.17 take the types out of a program when they are asked to.
    const node = process.features.typescript ? [] : ["--experimental-strip-types"]
    const start = (person: string) =>
      run(process.execPath, [...node, "src/main.ts", "leads.jsonl", person], folder)
    expect(await start("Ada")).toBe("Ada: recorded; in leads.jsonl: Ada\n")
    expect(await start("Bo")).toBe("Bo: recorded; in leads.jsonl: Ada, Bo\n")
    const tests = ["--test", "--test-reporter=tap", "src/contract.test.ts", "src/file.test.ts"]
    expect(await run(process.execPath, [...node, ...tests], folder)).toMatch(/^# pass \d\d\n# fail 0$/m)
  })
})
