/**
 * `npm run pictures`: takes the pictures of the console in docs/pictures, of the demo brand, in Debian's Chromium or the one that
 * CHROMIUM names.
 */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { chromium } = createRequire(join(root, "test", "package.json"))("playwright-core")
const folder = join(root, "docs", "pictures")

const token = "a-token-of-the-pictures"

/** Starts a server on a demo in memory; resolves to it and to its URL. */
const startServer = () =>
  new Promise((resolve, reject) => {
    const server = spawn(process.execPath, [join(root, "scripts", "lead-signals.mjs")], {
      cwd: root,
      env: { ...process.env, PORT: "0", LEAD_SIGNALS_DATABASE: "memory", LEAD_SIGNALS_OPERATOR_TOKEN: token }
    })
    let out = ""
    server.stdout.on("data", (chunk) => {
      out += chunk
      const url = /^Listening on (\S+)$/m.exec(out)?.[1]
      if (url !== undefined) resolve({ server, url })
    })
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })

const pages = [
  ["home", "/brands/1"],
  ["leads", "/brands/1/leads?qualified=true"],
  ["lead", "/brands/1/leads?search=sales&lead=12"]
]

const shapes = [
  { name: "wide", width: 1400, height: 900 },
  { name: "phone", width: 390, height: 800 }
]

const take = async (browser, url, { height, name, width }, colorScheme) => {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce"
  })
  await context.request.post(`${url}/session`, { data: { credential: token } })
  const page = await context.newPage()
  for (const [title, path] of pages) {
    await page.goto(`${url}/console${path}`)
    await page.waitForLoadState("networkidle")
    await page.screenshot({ path: join(folder, `${title}-${name}-${colorScheme}.png`) })
  }
  await context.close()
}

mkdirSync(folder, { recursive: true })
const { server, url } = await startServer()
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
})
for (const shape of shapes) {
  for (const colorScheme of ["light", "dark"]) await take(browser, url, shape, colorScheme)
}
await browser.close()
server.removeAllListeners("exit").kill()
process.stdout.write(`Wrote ${pages.length * shapes.length * 2} pictures into docs/pictures\n`)
