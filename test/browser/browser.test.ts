/** The core, the store in memory, the API and the simulator in headless Chromium, bundled for it. */
import { createLeadSignals } from "@lead-signals/embedded"
import { scenarioNamed, simulate } from "@lead-signals/simulations"
import * as MemoryStore from "@lead-signals/store-memory"
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, launchChromium } from "../harness/Chromium.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const bundled = async (name: string): Promise<string> => {
  const { build } = await import("esbuild")
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

describe.skipIf(chromiumPath === undefined || !isThorough)("in a browser", () => {
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
    browser = await launchChromium()
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  })
  afterAll(async () => {
    await browser?.close()
    server.close()
  })

  it("answers requests in the page, from a store in its memory [LIST-1, LIST-4, ERR-1]", async () => {
    const requested: Array<string> = []
    page.on("request", (request) => requested.push(new URL(request.url()).pathname))
    await page.addScriptTag({ url: "/service.js", type: "module" })
    await page.waitForFunction(() => "outcomeOfPage" in window, undefined, { timeout: 300_000 })
    expect(
      await page.evaluate(() => (window as unknown as { outcomeOfPage: unknown }).outcomeOfPage)
    ).toEqual({
      outcomes: ["recorded", "recorded", "recorded"],
      found: [["Åda", "Nice"]],
      refused: [400, "invalid_parameter"],
      missing: true
    })
    // No request of the API leaves the page.
    expect(requested.filter((path) => path !== "/service.js")).toEqual([])
  })

  it("shows the documentation under a folder, and a call that is tried out finds what there is [DOC-1]", async () => {
    const service = await createLeadSignals({ store: MemoryStore.layer })
    const brand = await service.createBrand("B")
    const source = { type: "posts-with-keywords" as const, value: "launch" }
    const signal = await service.createSignal(brand.id, { name: "S", signalType: "post", source })
    const { value: key } = await service.createKey(brand.id, { label: "docs" })
    await service.observe(brand.id, [
      { signalId: signal.id, person: { extId: "p", name: "Found Example" }, engagement: { id: "e" } }
    ])
    const mounted = createServer((request, response) => {
      const url = new URL(request.url!.replace(/^\/mounted(?=\/)/, ""), "http://mounted.example")
      const headers = request.headers as Record<string, string>
      void service.fetch(new Request(url, { headers })).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
    }).listen(0, "127.0.0.1")
    await once(mounted, "listening")
    const origin = `http://127.0.0.1:${(mounted.address() as AddressInfo).port}`
    const docs = await browser.newPage()
    const wrong: Array<string> = []
    docs.on("console", (line) => line.type() === "error" && wrong.push(line.text()))
    docs.on("pageerror", (error) => wrong.push(error.message))
    docs.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/mounted/`))
        wrong.push(request.url())
    })
    docs.on(
      "response",
      (answer) => answer.status() >= 400 && wrong.push(`${answer.status()} ${answer.url()}`)
    )
    await docs.goto(`${origin}/mounted/`)
    await docs.click("button.authorize")
    await docs.fill('input[aria-label="auth-bearer-value"]', key)
    await docs.click(".auth-btn-wrapper button.authorize")
    await docs.click(".auth-btn-wrapper button.btn-done")
    await docs.click("[id$='-listLeads'] .opblock-summary-control")
    await docs.click("[id$='-listLeads'] .try-out__btn")
    await docs.click("[id$='-listLeads'] button.execute")
    const answered = docs.locator("[id$='-listLeads'] .live-responses-table")
    await answered.waitFor()
    expect(await answered.innerText()).toContain("Found Example")
    expect(wrong).toEqual([])
    await docs.close()
    mounted.close()
    await service.close()
  })

  it("simulates to the same digest as in Node", async () => {
    for (const input of [
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
        input
      )
      const { digest, outcome } = simulate(scenarioNamed(input.scenario)!, input.seed, { hours: input.hours })
      expect(there).toEqual({ digest, outcome })
    }
  })
})
