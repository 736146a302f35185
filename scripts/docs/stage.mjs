/**
 * Copies the pages of the site from where they lie in the repository to one folder, and rewrites their links. A link to another page
 * leads to that page, a link to any other file or folder of the repository to a page that shows it. Links stay as they work on
 * GitHub in the repository; a link to nothing ends the build.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, extname, join, posix, relative } from "node:path"
import { groups, isListedElsewhere, replacedByHome } from "./sidebar.mjs"

const walk = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? walk(path) : [path]
  })

/** Fenced blocks and code spans, in which nothing is a link. */
const code = /^(`{3,}|~{3,})[^\n]*\n[^]*?^\1[ \t]*$|(`+)(?!`)[^]*?[^`]\2(?!`)/gm

/** Applies the change to what lies outside of code. */
const outsideCode = (text, change) => {
  let from = 0
  let out = ""
  for (const { 0: block, index } of text.matchAll(code)) {
    out += change(text.slice(from, index)) + block
    from = index + block.length
  }
  return out + change(text.slice(from))
}

const languages = { mjs: "js", mts: "ts", yaml: "yaml", yml: "yaml" }
const highlighted = new Set([
  "css",
  "go",
  "html",
  "js",
  "json",
  "md",
  "php",
  "py",
  "rb",
  "sh",
  "sql",
  "ts",
  "vue"
])

/** Pages by their path in the repository, each with its path on the site. */
const pagesOf = (root) => {
  const inDocs = walk(join(root, "docs"))
    .map((file) => relative(root, file).replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md") && !replacedByHome.includes(path))
  const listed = groups.flatMap(([, items]) => items.map(([path]) => path))
  const packages = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "simulations"]
    .map((folder) => `${folder}/README.md`)
    .filter((path) => existsSync(join(root, path)))
  const problems = [
    ...listed
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `scripts/docs/sidebar.mjs lists ${path}, which does not exist`),
    ...inDocs
      .filter((path) => !listed.includes(path) && !isListedElsewhere(path))
      .map((path) => `${path} has no place in scripts/docs/sidebar.mjs`)
  ]
  const present = listed.filter((path) => existsSync(join(root, path)))
  const sitePath = (path) => path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md")
  const pages = new Map(
    [...new Set([...inDocs, ...present, ...packages])].map((path) => [path, sitePath(path)])
  )
  return { pages, packages, problems }
}

/** Writes all pages into `target`; answers the packages' READMEs, and what is wrong: links to nothing, pages without a place. */
export const stage = (root, target) => {
  const { packages, pages, problems } = pagesOf(root)
  const published = new Map()

  /** The page for a file or folder of the repository that is not listed: a document as it is, anything else as its text. */
  const pageOf = (path) => {
    const isFolder = statSync(join(root, path)).isDirectory()
    const isPage = path.endsWith(".md")
    const sitePath = `repository/${path}${isPage ? "" : isFolder ? "/index.md" : ".md"}`
    const kind = isPage ? pages : published
    kind.set(path, sitePath)
    return sitePath
  }

  const destination = (path) =>
    path === "" || replacedByHome.includes(path)
      ? "index.md"
      : (pages.get(path) ?? pages.get(`${path}/README.md`) ?? pageOf(path))

  const rewrite = (from, link) => {
    if (/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(link)) return link
    const [path, anchor = ""] = link.split(/(?=#)/)
    const to = posix.normalize(posix.join(posix.dirname(from), path)).replace(/(^\.?\/?$)|\/$/, "")
    if (to.startsWith("..") || !existsSync(join(root, to))) {
      problems.push(`${from} links to ${link}, which does not exist`)
      return link
    }
    return posix.relative(posix.dirname(pages.get(from)), destination(to)) + anchor
  }

  const write = (sitePath, text) => {
    const file = join(target, sitePath)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  // A link can add a page, which is then visited, too.
  for (const [path, sitePath] of pages) {
    const text = outsideCode(readFileSync(join(root, path), "utf8"), (part) =>
      part.replace(/(\]\(|^\[[^\]]+\]: +)([^)\s]+)/gm, (_, before, link) => before + rewrite(path, link))
    )
    write(sitePath, text)
  }

  for (const [path, sitePath] of published) {
    const head = `---\nsearch: false\noutline: false\nprev: false\nnext: false\n---\n\n# \`${path}\`\n\n`
    if (statSync(join(root, path)).isDirectory()) {
      const files = walk(join(root, path))
        .map((file) => relative(root, file).replaceAll("\\", "/"))
        .filter((file) => !/(^|\/)(?:node_modules|dist|\.types)\//.test(file))
        .sort()
      const items = files.map((file) => {
        const page = pages.get(file) ?? published.get(file)
        return page === undefined
          ? `- \`${file}\``
          : `- [\`${file}\`](${posix.relative(posix.dirname(sitePath), page)})`
      })
      write(sitePath, `${head}${items.join("\n")}\n`)
    } else {
      const extension = extname(path).slice(1)
      const language = languages[extension] ?? extension
      const text = readFileSync(join(root, path), "utf8")
      const fence = "`".repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)))
      write(
        sitePath,
        `${head}${fence}${highlighted.has(language) ? language : "txt"}\n${text.trimEnd()}\n${fence}\n`
      )
    }
  }

  return { packages, problems, sitePathOf: (path) => pages.get(path) }
}
