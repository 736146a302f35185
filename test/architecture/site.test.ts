/** The pages of the documentation site, before and after VitePress. Only `npm run docs` builds it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { deadLinks } from "../../scripts/docs/check.mjs"
import { stage } from "../../scripts/docs/stage.mjs"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const parent = temporaryFolder()
let made = 0

const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = join(parent, String(++made))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

describe("the pages of the site", () => {
  it("have a place in the sidebar and links that lead somewhere", () => {
    const root = fileURLToPath(new URL("../..", import.meta.url))
    expect(stage(root, join(parent, "site")).problems).toEqual([])
  })

  const repository = {
    "README.md": "# Made up\n",
    "docs/glossary.md":
      '[home](../README.md) [spec](specification.md#list-4 "a title") [decision](decisions/0001-one.md)\n' +
      "[code](../src/main.ts) [folder](../src/) [`a](b)`](https://example.com/x) [here](#here)\n\n" +
      "```md\n[not a link](nowhere.md)\n```\n\n`[nor this](nowhere.md)`\n",
    "docs/specification.md": "# Specification\n",
    "docs/decisions/0001-one.md": "[back](../glossary.md)\n",
    "docs/forgotten.md": "[gone](gone.md)\n",
    "packages/made/README.md": "[words](../../docs/glossary.md)\n",
    "src/main.ts": "export const fence = '```'\n"
  }

  it("link to each other, and to pages that show what else the repository has", () => {
    const site = join(parent, "staged")
    const { packages, problems, sitePathOf } = stage(folderWith(repository), site)
    expect(packages).toEqual(["packages/made/README.md"])
    expect(sitePathOf("packages/made/README.md")).toBe("packages/made/index.md")
    expect(readFileSync(join(site, "glossary.md"), "utf8")).toBe(
      '[home](index.md) [spec](specification.md#list-4 "a title") [decision](decisions/0001-one.md)\n' +
        "[code](repository/src/main.ts.md) [folder](repository/src/index.md) [`a](b)`](https://example.com/x) [here](#here)\n\n" +
        "```md\n[not a link](nowhere.md)\n```\n\n`[nor this](nowhere.md)`\n"
    )
    expect(readFileSync(join(site, "packages/made/index.md"), "utf8")).toBe("[words](../../glossary.md)\n")
    expect(readFileSync(join(site, "repository/src/index.md"), "utf8")).toContain(
      "- [`src/main.ts`](main.ts.md)\n"
    )
    expect(readFileSync(join(site, "repository/src/main.ts.md"), "utf8")).toContain(
      "````ts\nexport const fence = '```'\n````\n"
    )
    expect(problems).toContain("docs/forgotten.md has no place in scripts/docs/sidebar.mjs")
    expect(problems).toContain("docs/forgotten.md links to gone.md, which does not exist")
    expect(problems.filter((problem) => problem.includes("nowhere"))).toEqual([])
  })
})

describe("the check of the built site", () => {
  it("finds links to pages and anchors that are not there", () => {
    const site = folderWith({
      "index.html":
        '<a href="/guide.html#start">a</a> <a class="x" href="guide#caf%C3%A9">b</a> <a href="#top">c</a> <h1 id="top"></h1>' +
        '<a href="https://example.com/none">d</a> <a href="/style.css">e</a> <a href="/gone.html">f</a>',
      "guide.html":
        '<h2 id="start"></h2><h2 id="café"></h2> <a href="/#nowhere">g</a> <a href="folder/">h</a>',
      "folder/index.html": '<a href="../guide.html#end">i</a>',
      "style.css": ""
    })
    expect(deadLinks(site)).toEqual([
      "folder/index.html links to ../guide.html#end; that page has no #end",
      "guide.html links to /#nowhere; that page has no #nowhere",
      "index.html links to /gone.html, which is not a page of the site"
    ])
  })
})
