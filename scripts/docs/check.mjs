/** Looks for links of the built site that lead to no page or to no place on it. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

const pagesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".html"))

const decoded = (text) =>
  decodeURIComponent(text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"'))

/** Answers a line for each link to a file or an anchor that is not there. */
export const deadLinks = (folder) => {
  const pages = new Map(pagesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]))
  const anchors = new Map(
    Array.from(pages, ([path, html]) => [
      path,
      new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => decoded(id)))
    ])
  )
  const dead = []
  for (const [path, html] of pages) {
    const links = new Set(Array.from(html.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href]) => href))
    for (const href of links) {
      if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) continue
      const [target, anchor] = href.split("#").map(decoded)
      const requested =
        target === ""
          ? path
          : posix.join(target.startsWith("/") ? "" : posix.dirname(path), target).replace(/^\//, "")
      const page = [requested, `${requested}.html`, posix.join(requested, "index.html")].find((each) =>
        pages.has(each)
      )
      if (page === undefined && existsSync(join(folder, requested)) && requested !== "") continue
      if (page === undefined) dead.push(`${path} links to ${href}, which is not a page of the site`)
      else if (anchor !== undefined && anchor !== "" && !anchors.get(page).has(anchor)) {
        dead.push(`${path} links to ${href}; that page has no #${anchor}`)
      }
    }
  }
  return dead.sort()
}
