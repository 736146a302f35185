/** The core, the store in memory, the API and the simulator in headless Chromium, bundled for it. */
import { scenarioNamed, simulate } from "@lead-signals/simulations"
import { build } from "esbuild"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const places = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]
const executablePath = places.find((place) => place !== undefined && existsSync(place))

if (executablePath === undefined) {
  console.warn(
    "SKIPPED: the tests in a browser need Chromium, and there is none. Install it (Debian: apt-get install chromium), or name it in CHROMIUM."
  )
}

const bundled = async (name: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    target: "es2022",
    // Whatever only Node has would fail the bundle.
    logLevel: "error"
  })
  return outputFiles[0]!.text
}

describe.skipIf(executablePath === undefined)("in a browser", () => {
  let browser: Browser
  let page: Page
  const scripts = new Map<string, string>()
  const server = createServer((request, response) => {
    const script = scripts.get(request.url!)
    if (script !== undefined) response.setHeader("content-type", "text/javascript").end(script)
    else response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>")
  })

  beforeAll(async () => {
    scripts.set("/service.js", await bundled("Service.ts"))
    scripts.set("/simulation.js", await bundled("Simulation.ts"))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    browser = await chromium.launch({
      executablePath: executablePath!,
      // Whoever runs this may be root in a container.
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    })
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  })
  afterAll(async () => {
    await browser?.close()
    server.close()
  })

  it("answers requests in the page, from a store in its memory [LIST-1, LIST-4, ERR-1]", async () => {
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await page.addScriptTag({ url: "/service.js", type: "module" })
    await page.waitForFunction(() => "told" in window, undefined, { timeout: 60_000 })
    expect(await page.evaluate(() => (window as unknown as { told: unknown }).told)).toEqual({
      outcomes: ["recorded", "recorded", "recorded"],
      found: [["Åda", "Nice"]],
      refused: [400, "invalid_parameter"],
      missing: true
    })
    // No request of the API leaves the page.
    expect(asked.filter((path) => path !== "/service.js")).toEqual([])
  })

  it("simulates to the same digest as in Node", async () => {
    for (const asked of [
      { scenario: "crash-loop", seed: 3, hours: 1 },
      { scenario: "swarm", seed: 7, hours: 1 }
    ]) {
      const there = await page.evaluate(
        (run) =>
          new Promise((resolve, reject) => {
            const worker = new Worker("/simulation.js", { type: "module" })
            worker.addEventListener("message", ({ data }) => resolve(data))
            worker.addEventListener("error", ({ message }) => reject(new Error(message)))
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker is no window
            worker.postMessage(run)
          }),
        asked
      )
      const { digest, outcome } = simulate(scenarioNamed(asked.scenario)!, asked.seed, { hours: asked.hours })
      expect(there).toEqual({ digest, outcome })
    }
  })
})
