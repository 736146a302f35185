/** A browser on the console of a real server, which notes whatever must not happen on a page. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, expect } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { launchChromium } from "../harness/Chromium.ts"
import { callJson, operatorToken, type ServerProcess, startServer } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A window of the console. */
export interface ConsoleWindow {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors on the console, requests to other origins, and what scripts threw. */
  readonly wrong: Array<string>
}

/** A server with its console and a browser. `operate` calls the API as the operator, and answers the body. */
export interface ConsoleServer {
  readonly url: string
  readonly server: ServerProcess
  readonly folder: string
  readonly browser: Browser
  readonly operate: (method: string, path: string, json?: unknown) => Promise<any>
  /** Opens a window; signed in as operator, unless a credential is given, or null for none. */
  readonly open: (path: string, options?: OpenOptions) => Promise<ConsoleWindow>
}

interface OpenOptions {
  readonly credential?: string | null
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: "light" | "dark"
}

const watch = (page: Page, origin: string): Array<string> => {
  const wrong: Array<string> = []
  page.on("console", (line) => {
    if (line.type() === "error" || line.type() === "warning") wrong.push(line.text())
  })
  page.on("pageerror", (error) => wrong.push(error.message))
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("blob:"))
      wrong.push(request.url())
  })
  return wrong
}

let launched: Promise<Browser> | undefined
let started: Array<{ readonly server: ServerProcess; readonly folder: string }> = []

/** Call once in a file that starts a console: its servers and its browser end with its tests. */
export const closeConsolesAfterTests = (): void => {
  afterAll(async () => {
    const [browser, servers] = [launched, started]
    // Another file in this process starts its own.
    launched = undefined
    started = []
    await (await browser)?.close()
    for (const { folder, server } of servers) {
      await server.end("SIGTERM")
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** Starts a built server over a file in a folder of its own, whose webhooks may reach this machine. The browser is one for all tests of a file. */
export const startConsole = async (environment: Record<string, string> = {}): Promise<ConsoleServer> => {
  const folder = mkdtempSync(join(tmpdir(), "console-"))
  const server = await startServer(
    {
      LEAD_SIGNALS_DATABASE: join(folder, "leads.sqlite"),
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
      ...environment
    },
    bundledServer
  )
  started.push({ server, folder })
  launched ??= launchChromium()
  const browser = await launched
  const { url } = server
  return {
    url,
    server,
    folder,
    browser,
    operate: async (method, path, json) =>
      (await callJson(`${url}${path}`, operatorToken, method, json)).body,
    open: async (
      path,
      { colorScheme = "light", credential = operatorToken, height = 700, width = 1200 } = {}
    ) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme,
        // What moves is painted again and again.
        reducedMotion: "reduce",
        acceptDownloads: true,
        permissions: ["clipboard-read", "clipboard-write"]
      })
      // A picker of files can't be operated from here; without one the console downloads.
      await context.addInitScript("delete window.showSaveFilePicker")
      if (credential !== null) {
        await context.request.post(`${url}/session`, { data: { credential } })
      }
      // Machines that are busy with other tests take long.
      context.setDefaultTimeout(300_000)
      const page = await context.newPage()
      const wrong = watch(page, url)
      await page.goto(`${url}/console${path}`)
      return { context, page, wrong }
    }
  }
}

/** Waits until the page has its heading, and nothing on it is still being loaded. */
export const waitForContent = async (page: Page): Promise<void> => {
  await page.waitForFunction(
    () =>
      document.querySelector("h1") !== null &&
      Array.from(document.querySelectorAll("[role=status]")).every(
        ({ textContent }) => textContent !== "Loading"
      )
  )
}

/** Presses two keys at once: a sequence has little time, whatever else the machine does. */
export const goBySequence = async (page: Page, first: string, second: string): Promise<void> => {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)])
}

/** What axe-core finds on the page, in a line each. */
export const axeFindings = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Array<any> }> } }
    const { violations } = await axe.run()
    return violations.map(({ help, id, nodes }) => `${id}: ${help} (${nodes[0].html.slice(0, 200)})`)
  })
}

/** Fails where axe-core finds something. It takes longer than most flows: a default run has it look at few pages, a thorough one at each dialog and state. */
export const expectAccessible = async (page: Page): Promise<void> => {
  if (isThorough) expect(await axeFindings(page)).toEqual([])
}
