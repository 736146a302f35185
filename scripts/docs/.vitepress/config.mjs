/** The site. `build.mjs` stages its pages beside the tools, where VitePress finds its modules, with the sidebar. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitepress"
import { slugify } from "../slugify.mjs"

const staged = join(import.meta.dirname, "..", ".site")
const sidebarFile = join(staged, "sidebar.json")

/** A fence with the language `mermaid` is a diagram. */
const withDiagrams = (md) => {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { content, info } = tokens[index]
    return info.trim() === "mermaid"
      ? `<MermaidDiagram source="${encodeURIComponent(content)}" />\n`
      : fence(tokens, index, ...rest)
  }
}

export default defineConfig({
  title: "Lead Signals",
  description: "Leads from social signals: an HTTP API, signed webhooks, a library and a simulator.",
  lang: "en-GB",
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: join(staged, "pages"),
  outDir: join(import.meta.dirname, "..", "..", "..", ".site"),
  cacheDir: join(staged, "cache"),
  markdown: {
    anchor: { slugify },
    config: withDiagrams
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: existsSync(sidebarFile) ? JSON.parse(readFileSync(sidebarFile, "utf8")) : []
  },
  vite: {
    // The drawing library is one large file, which only pages with a diagram load.
    build: { chunkSizeWarningLimit: 4000 }
  }
})
