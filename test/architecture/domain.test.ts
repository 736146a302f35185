/** The domain runs anywhere, and knows neither time nor chance nor host. */
import { build } from "esbuild"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const sources = join(root, "packages/domain/src")
const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts")
)

/** The files that a bundle of this module for a browser has in it, as paths from the root. */
const browserInputs = async (entryPoint: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    entryPoints: [join(root, entryPoint)],
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
    absWorkingDir: root
  })
  return Object.keys(metafile.inputs)
}

/** The files that are neither of these packages nor of the libraries that the domain may use. */
const foreignInputs = (
  inputs: ReadonlyArray<string>,
  packages: ReadonlyArray<string>
): ReadonlyArray<string> =>
  inputs.filter(
    (input) =>
      !packages.some((name) => input.startsWith(`packages/${name}/src/`)) &&
      !/node_modules\/(?:effect|@noble\/hashes|fast-check|pure-rand|@standard-schema\/spec)\//.test(input)
  )

describe("the domain", () => {
  it("bundles for a browser with effect and @noble/hashes, and pulls nothing else in", async () => {
    const inputs = await browserInputs("packages/domain/src/index.ts")
    expect(foreignInputs(inputs, ["domain"])).toEqual([])
    expect(inputs.some((input) => input.includes("@noble/hashes"))).toBe(true)
  })

  it("reads no ambient clock, chance, host or locale", () => {
    const ambient =
      /\bDate\.now\b|new Date\(\s*\)|\bMath\.random\b|\bperformance\.|\bprocess\.|\bIntl\.|\.toLocale|from "node:/
    const found = files.filter((name) => ambient.test(readFileSync(join(sources, name), "utf8")))
    expect(found).toEqual([])
    expect(files.length).toBeGreaterThan(30)
  })

  it("has a model that imports no other room, and rooms whose imports point one way", () => {
    const below: Readonly<Record<string, ReadonlyArray<string>>> = {
      model: [],
      text: [],
      credentials: ["model"],
      decisions: ["model", "text"],
      queries: ["model", "text"]
    }
    const wrong = files.flatMap((name) => {
      const room = name.split("/")[0]!
      const allowed = below[room]
      return allowed === undefined
        ? []
        : Array.from(
            readFileSync(join(sources, name), "utf8").matchAll(/from "\.\.\/([^"/]+)\//g),
            ([, to]) => to!
          )
            .filter((to) => !allowed.includes(to))
            .map((to) => `${name} imports ${to}`)
    })
    expect(wrong).toEqual([])
    for (const room of Object.keys(below))
      expect(files.some((name) => name.startsWith(`${room}/`))).toBe(true)
  })
})

describe("a store of several rooms", () => {
  it.each([
    ["store-sqlite", 10],
    ["store-postgres", 6]
  ])("has rooms that import only those before them: %s", (store, atLeast) => {
    const folder = join(root, `packages/${store}/src`)
    const rooms = Array.from(
      readFileSync(join(folder, "index.ts"), "utf8").matchAll(/^ \* - `([^`/]+)\/` /gm),
      ([, room]) => room!
    )
    const entries = new Set(["index.ts", "internal.ts"])
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !entries.has(name)
    )
    const outside = names.filter((name) => !rooms.includes(name.split("/")[0]!))
    expect([rooms.length > atLeast, outside]).toEqual([true, []])
    const wrong = names.flatMap((name) => {
      const before = new Set(rooms.slice(0, rooms.indexOf(name.split("/")[0]!) + 1))
      const imported = readFileSync(join(folder, name), "utf8").matchAll(/(?:from|import) "(\.[^"]+)"/g)
      return Array.from(imported, ([, from]) => relative(folder, join(folder, dirname(name), from!)))
        .filter((to) => !before.has(to.split("/")[0]!))
        .map((to) => `${name} imports ${to}`)
    })
    expect(wrong).toEqual([])
  })
})

describe("the simulation kernel", () => {
  it("knows nothing of this product", () => {
    const folder = join(root, "packages", "simulation-kernel", "src")
    const product = readdirSync(folder).filter((name) =>
      readFileSync(join(folder, name), "utf8").includes("@lead-signals/")
    )
    expect(product).toEqual([])
  })
})

describe("the adapters", () => {
  it("never import each other", () => {
    for (const adapter of [
      "http",
      "store-contract",
      "store-memory",
      "store-postgres",
      "store-sqlite",
      "webhook"
    ]) {
      const folder = join(root, "packages", adapter, "src")
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) =>
        each.endsWith(".ts")
      )) {
        const imported = Array.from(
          readFileSync(join(folder, name), "utf8").matchAll(/from "(@lead-signals\/[^"]+)"/g),
          ([, from]) => from
        )
        expect([
          relative(root, join(folder, name)),
          imported.filter(
            (from) =>
              !/^@lead-signals\/(?:domain(?:\/pure)?|encryption|removal-journal|sql-rows|suggestions)$/.test(
                from!
              )
          )
        ]).toEqual([expect.any(String), []])
      }
    }
  })
})

describe("the package for assistants", () => {
  it("imports the public part of http alone, and nothing of it is loaded before the first message", () => {
    const folder = join(root, "packages", "mcp", "src")
    const imported = readdirSync(folder).flatMap((name) =>
      Array.from(
        readFileSync(join(folder, name), "utf8").matchAll(/from "(@lead-signals\/[^"]+)"/g),
        ([, from]) => from
      )
    )
    expect([...new Set(imported)]).toEqual(["@lead-signals/http"])
    const server = join(root, "packages", "server", "src")
    const early = readdirSync(server, { recursive: true, encoding: "utf8" }).filter(
      (name) =>
        name.endsWith(".ts") && readFileSync(join(server, name), "utf8").includes('from "@lead-signals/mcp')
    )
    expect(early).toEqual([])
  })
})

describe("the package of suggestions", () => {
  it("imports nothing, and no domain words a suggestion", () => {
    const text = readFileSync(join(root, "packages/suggestions/src/index.ts"), "utf8")
    expect(text).not.toMatch(/^import /m)
    const wording = files.filter((name) =>
      /did you mean|Bearer/i.test(readFileSync(join(sources, name), "utf8"))
    )
    expect(wording).toEqual([])
  })
})

describe("the encryption package", () => {
  it("imports nothing of this product, and the domain knows nothing of it", () => {
    const importersOf = (folder: string, wanted: string) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
        (name) => name.endsWith(".ts") && readFileSync(join(folder, name), "utf8").includes(wanted)
      )
    const encryption = join(root, "packages", "encryption", "src")
    expect(readdirSync(encryption)).toContain("EncryptionKey.ts")
    expect(importersOf(encryption, '"@lead-signals/')).toEqual([])
    expect(importersOf(sources, "@lead-signals/encryption")).toEqual([])
  })
})

describe("an internal entry", () => {
  it("is imported by nothing outside the tests, the benchmarks and the simulator", () => {
    const folders = ["packages", "examples"].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(root, folder, name, "src"))
        // The receivers of webhooks are in many languages, and in no package.
        .filter((sources) => existsSync(sources))
    )
    const importers = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => join(folder, name))
        .filter((file) =>
          /(?:from |import\(|import )"[^"]*\/internal(?:\.ts)?"/.test(readFileSync(file, "utf8"))
        )
    )
    expect(importers).toEqual([])
  })

  it("is the only way to the modules of a package but what it exports", () => {
    const tests = readdirSync(join(root, "test"))
      .filter((folder) => /^[a-z-]+$/.test(folder))
      .flatMap((folder) =>
        readdirSync(join(root, "test", folder), { recursive: true, encoding: "utf8" }).map((name) =>
          join(folder, name)
        )
      )
      .filter((name) => name.endsWith(".ts"))
      .filter((name) =>
        /(?:from |import\(|import )"[^"]*\/packages\/[^"]*"/.test(
          readFileSync(join(root, "test", name), "utf8")
        )
      )
    expect(tests).toEqual([])
  })
})

describe("the reference model", () => {
  it("imports its own modules alone, so that it shares no code with what it checks", () => {
    const folder = join(root, "packages/store-contract/src/reference")
    const names = readdirSync(folder)
    const foreign = names.flatMap((name) => {
      const text = readFileSync(join(folder, name), "utf8")
      const imported = Array.from(
        text.matchAll(/\bimport\s*\(|\bfrom "([^"]*)"|\bimport "/g),
        ([, from]) => from
      )
      return imported.filter((from) => from === undefined || !names.some((each) => from === `./${each}`))
    })
    expect([names.length, foreign]).toEqual([7, []])
  })
})

describe("the contract of stores", () => {
  it("bundles for a browser, and needs no test runner", async () => {
    const inputs = await browserInputs("packages/store-contract/src/index.ts")
    expect(foreignInputs(inputs, ["domain", "store-contract"])).toEqual([])
  })
})

/** The specifiers of all modules that a module loads when it runs, through the relative ones among them. */
const loadedBy = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  const statements = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm)
  return Array.from(statements, ([, from]) => from!).flatMap((from) =>
    from.startsWith(".") ? loadedBy(join(dirname(file), from), seen) : [from]
  )
}

describe("the threads of the SQLite store", () => {
  it("load neither Effect nor anything else that would keep them from starting at once", () => {
    const thread = join(root, "packages/store-sqlite/src/worker/thread.ts")
    expect(new Set(loadedBy(thread))).toEqual(
      new Set([
        "@lead-signals/domain/pure",
        "@lead-signals/sql-rows",
        "better-sqlite3",
        "node:fs",
        "node:module",
        "node:path",
        "node:worker_threads"
      ])
    )
    expect(loadedBy(join(sources, "pure.ts"))).toEqual([])
    const rows = loadedBy(join(root, "packages/sql-rows/src/index.ts"))
    expect(new Set(rows)).toEqual(new Set(["@lead-signals/domain/pure"]))
  })
})
