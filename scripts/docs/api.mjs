/** Writes the reference of the public API from the docstrings of the published packages, one page for each module. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Application, Comment, Converter, LogLevel, ReflectionKind } from "typedoc"
import { slugify } from "./slugify.mjs"

/** The source file of each public entry point, by the name that it is imported by. */
const entryPointsOf = (root) =>
  new Map(
    [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "simulations"]
      .filter((path) => existsSync(join(root, path, "package.json")))
      .flatMap((path) => {
        const { exports, name, publishConfig } = JSON.parse(
          readFileSync(join(root, path, "package.json"), "utf8")
        )
        return Object.keys(publishConfig?.exports ?? {}).map((entry) => [
          join(root, path, exports[entry]),
          `${name}${entry.slice(1)}`
        ])
      })
  )

/** The docstring at the top of a file, which TypeDoc takes for the module's only with a tag. */
const headerOf = (file) => {
  const [comment = ""] = /^\/\*\*[^]*?\*\//.exec(readFileSync(file, "utf8")) ?? []
  return comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^[ \t]*\* ?/gm, "")
    .trim()
}

/** Modules are named as they are imported; modules and namespaces are described by the docstring of their file. */
const describeModules = (entryPoints) => (context) => {
  const { project } = context
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Module | ReflectionKind.Namespace)) {
    const [declaration] = context.getSymbolFromReflection(reflection)?.getDeclarations() ?? []
    const file = declaration?.getSourceFile().fileName
    if (file === undefined || declaration.parent !== undefined) continue
    reflection.name = entryPoints.get(file) ?? reflection.name
    reflection.comment ??= new Comment([{ kind: "text", text: headerOf(file) }])
  }
}

/** Clause ids in brackets lead to the specification. */
const withClauseLinks = (text) =>
  text.replace(/\\?\[([A-Z]+-[0-9]+(?:(?:, | … )[A-Z]+-[0-9]+)*)\\?\](?!\()/g, (_, ids) =>
    ids.replace(/[A-Z]+-[0-9]+/g, (id) => `[${id}](/specification.md#${id.toLowerCase()})`)
  )

/** The anchors of a page: a second heading of one name gets a number, as on the site. */
const anchorsOf = (text) => {
  const counts = new Map()
  const headings = text.replace(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)
  return new Set(
    Array.from(headings, ([, heading]) => {
      const slug = slugify(heading)
      const count = counts.get(slug) ?? 0
      counts.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    })
  )
}

/** TypeDoc numbers some anchors although the page has one heading of the name: their links get the anchor that is there. */
const withAnchors = (file, text, anchorsIn) =>
  text.replace(/\]\(([^)#\s]*)#([^)\s]+)-[0-9]+\)/g, (link, path, name) => {
    const anchors = path.startsWith("/")
      ? undefined
      : anchorsIn(path === "" ? file : join(dirname(file), path))
    return anchors === undefined || anchors.has(/#(.*)\)$/.exec(link)[1]) ? link : `](${path}#${name})`
  })

/** Writes the pages into `target`; answers title and page of each entry point. Throws when TypeDoc warns. */
export const writeApi = async (root, staged, target) => {
  const entryPoints = entryPointsOf(root)
  const tsconfig = join(staged, "tsconfig.json")
  const navigation = join(staged, "api.json")
  writeFileSync(
    tsconfig,
    JSON.stringify({
      extends: relative(staged, join(root, "tsconfig.base.json")),
      compilerOptions: {
        composite: false,
        declaration: false,
        noEmit: true,
        emitDeclarationOnly: false,
        resolveJsonModule: true,
        types: ["node"],
        typeRoots: [relative(staged, join(root, "node_modules", "@types"))]
      },
      files: Array.from(entryPoints.keys(), (file) => relative(staged, file))
    })
  )
  const app = await Application.bootstrapWithPlugins({
    name: "Public API",
    entryPoints: [...entryPoints.keys()],
    tsconfig,
    basePath: root,
    plugin: ["typedoc-plugin-markdown"],
    outputs: [{ name: "markdown", path: target }],
    logLevel: LogLevel.Warn,
    readme: "none",
    disableGit: true,
    disableSources: true,
    excludePrivate: true,
    excludeExternals: true,
    validation: { notExported: false, invalidLink: true, invalidPath: true, notDocumented: false },
    router: "module",
    entryFileName: "index",
    navigationJson: navigation,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    sanitizeComments: true,
    useCodeBlocks: true,
    useHTMLEncodedBrackets: true,
    parametersFormat: "table"
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, describeModules(entryPoints))
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc could not read the public API.")
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("TypeDoc gave warnings.")
  const texts = new Map(
    readdirSync(target, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md"))
      .map((path) => join(target, path))
      .map((file) => [file, readFileSync(file, "utf8")])
  )
  const anchors = new Map(Array.from(texts, ([file, text]) => [file, anchorsOf(text)]))
  for (const [file, text] of texts) {
    writeFileSync(file, withClauseLinks(withAnchors(file, text, (page) => anchors.get(page))))
  }
  return JSON.parse(readFileSync(navigation, "utf8")).map(({ path, title }) => ({
    title,
    page: `api/${path}`
  }))
}
