/**
 * Every page of the console's router, in both themes and at both widths, with hostile texts wherever people, receivers and operators
 * choose them.
 */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { endServersAfterTests } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  axeFindings,
  closeConsolesAfterTests,
  type ConsoleServer,
  type ConsoleWindow,
  startConsole,
  waitForContent
} from "./ConsoleBrowser.ts"
import { answerHostilely, type HostileBrand, hostileFile, makeHostileBrand, turning } from "./HostileBrand.ts"

closeConsolesAfterTests()

/** A page in one of its states. */
interface Visit {
  readonly path: string
  /** What leads to the state, once the page is there. */
  readonly reach?: (page: Page, brand: HostileBrand) => Promise<void>
  /** Its page has a stream that never ends. */
  readonly streams?: boolean
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).first()

/** By the path of the router. `:brand` and others stand for ids. */
const visits: Readonly<Record<string, ReadonlyArray<Visit>>> = {
  "/": [{ path: "/" }],
  "/api": [{ path: "/api" }, { path: "/api?operation=listLeads" }, { path: "/api?operation=<b>x" }],
  "/brands/$brandId": [
    { path: "/brands/:brand" },
    { path: "/brands/:brand?interval=hour&by=signal" },
    { path: "/brands/nowhere" }
  ],
  "/brands/$brandId/leads": [
    { path: "/brands/:brand/leads" },
    { path: "/brands/:brand/leads?lead=:lead" },
    { path: "/brands/:brand/leads?lead=999" },
    { path: "/brands/:brand/leads?search=%3Cimg" },
    { path: "/brands/:brand/leads?signalId=:signal&created=7d&createdAfter=x&sort=%3Cb%3E" },
    {
      path: "/brands/:brand/leads?lead=:lead",
      reach: async (page) => {
        await button(page, "Erase …").click()
        await page.getByRole("dialog").waitFor()
      }
    }
  ],
  "/brands/$brandId/live": [
    {
      path: "/brands/:brand/live",
      streams: true,
      reach: async (page, { observe }) => {
        await page.getByText("Connected", { exact: true }).waitFor()
        await observe()
        await page.locator("[data-events] li").nth(4).waitFor()
      }
    }
  ],
  "/brands/$brandId/campaigns": [
    { path: "/brands/:brand/campaigns" },
    { path: "/brands/:brand/campaigns?campaign=:campaign&days=7" }
  ],
  "/brands/$brandId/import": [
    {
      path: "/brands/:brand/import",
      reach: async (page, { signal }) => {
        await page.setInputFiles("#file", {
          name: "<img src=x>.jsonl",
          mimeType: "application/jsonl",
          buffer: Buffer.from(hostileFile(signal))
        })
        await button(page, "Import").click()
        await page.getByRole("heading", { name: /rejected$/ }).waitFor()
      }
    }
  ],
  "/brands/$brandId/signals": [
    { path: "/brands/:brand/signals" },
    {
      path: "/brands/:brand/signals",
      reach: async (page) => {
        await page
          .getByRole("button", { name: /^Delete the signal/ })
          .first()
          .click()
        await page.getByRole("dialog").waitFor()
      }
    }
  ],
  "/brands/$brandId/settings/keys": [
    { path: "/brands/:brand/settings/keys" },
    {
      path: "/brands/:brand/settings/keys",
      reach: async (page) => {
        await page
          .getByRole("button", { name: /^Revoke the key/ })
          .first()
          .click()
        await page.getByRole("dialog").waitFor()
      }
    }
  ],
  "/brands/$brandId/settings/webhooks": [
    { path: "/brands/:brand/settings/webhooks" },
    {
      path: "/brands/:brand/settings/webhooks",
      reach: async (page) => {
        await button(page, "New webhook").click()
        await page.getByText("Advanced: order, format and batches").click()
      }
    }
  ],
  "/brands/$brandId/settings/webhooks/$webhookId": [
    { path: "/brands/:brand/settings/webhooks/:webhook" },
    {
      path: "/brands/:brand/settings/webhooks/:webhook?delivery=:delivery",
      reach: async (page) => void (await page.getByLabel("Response to attempt 1").waitFor())
    },
    { path: "/brands/:brand/settings/webhooks/999?state=%3Cb%3E" }
  ],
  "/brands/$brandId/settings/operators": [
    { path: "/brands/:brand/settings/operators" },
    {
      path: "/brands/:brand/settings/operators",
      reach: async (page) => {
        await button(page, "New token").click()
        await page.getByRole("dialog").waitFor()
      }
    }
  ],
  "/brands/$brandId/settings/audit": [{ path: "/brands/:brand/settings/audit" }],
  "/brands/$brandId/simulator": [
    { path: "/brands/:brand/simulator" },
    { path: "/brands/:brand/simulator?scenario=%3Cimg%20src=x%3E&bug=%3Cb%3E" }
  ],
  "/brands/$brandId/api": [
    { path: "/brands/:brand/api" },
    { path: "/brands/:brand/api?operation=webhooks.createWebhook" }
  ]
}

const pathsOfRouter = (): ReadonlyArray<string> => {
  const text = readFileSync(new URL("../../packages/console/src/router.tsx", import.meta.url), "utf8")
  const routes = text.matchAll(/createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: "([^"]+)"/g)
  const paths = Array.from(routes, ([, parent, path]) =>
    parent === "brand" ? `/brands/$brandId${path === "/" ? "" : path}` : path!
  )
  // Any other way to add a page would be missed here.
  expect(text.split("createRoute(").length - 1).toBe(paths.length)
  return [...new Set(paths)]
}

/** The parts of the page that people operate and that are smaller than a finger, in a line each. Links within a sentence may be. */
const smallTargets = (page: Page) =>
  page.evaluate(() => {
    const minPixels = 44
    const operated =
      "a[href], button, select, summary, [role=slider], input:not([type=hidden], [type=file]), textarea"
    const boxOf = (element: Element): DOMRect => {
      // A row is opened by its link, which lies over all of it.
      const over = getComputedStyle(element, "::after")
      if (over.content !== "none" && over.position === "absolute")
        return (element as HTMLElement).closest("li, tr")!.getBoundingClientRect()
      return (element.closest("label") ?? element).getBoundingClientRect()
    }
    const isInSentence = (element: Element): boolean =>
      element.tagName === "A" &&
      getComputedStyle(element).display === "inline" &&
      element.parentElement!.textContent!.trim() !== element.textContent!.trim()
    return Array.from(document.querySelectorAll(operated)).flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      if (element.closest("[inert]") !== null || isInSentence(element)) return []
      if (element.matches(".sr-only:not(:focus)")) return []
      const { height, width } = boxOf(element)
      return height >= minPixels - 0.5 && width >= minPixels - 0.5
        ? []
        : [`${Math.round(width)} × ${Math.round(height)}: ${element.outerHTML.slice(0, 160)}`]
    })
  })

/** Texts that turn what follows around, and that have neighbours in the line which are not theirs. */
const turnedNeighbours = (page: Page) =>
  page.evaluate((turning) => {
    const found: Array<string> = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent!
      if (!text.includes(turning.slice(0, 4))) continue
      let apart = node.parentElement!
      for (;;) {
        const { display, unicodeBidi } = getComputedStyle(apart)
        if (display !== "inline" || unicodeBidi !== "normal") break
        apart = apart.parentElement!
      }
      const after = apart.textContent!.slice(apart.textContent!.indexOf(text) + text.length).trim()
      if (after !== "" && apart.tagName !== "PRE")
        found.push(`${text.slice(0, 40)} before ${after.slice(0, 40)}`)
    }
    return found
  }, turning)

/** What of the hostile texts has become more than text. */
const injected = (page: Page) =>
  page.evaluate(() => [
    ...Array.from(
      document.querySelectorAll("img, iframe, object, embed, body script, body style, [onerror], [onload]"),
      ({ outerHTML }) => outerHTML.slice(0, 200)
    ),
    ...Array.from(document.querySelectorAll("a"), ({ href }) => href).filter(
      (href) => href !== "" && !/^(?:https?|blob):/.test(href)
    ),
    ...(document.title === "hacked" ? [document.title] : [])
  ])

/** What can be operated, and is never reached by the key Tab. */
const unreachable = async (page: Page): Promise<ReadonlyArray<string>> => {
  const operable = await page.evaluate(() => {
    // What lies below a dialog is out of reach while it is open.
    const top = document.querySelector("[role=dialog]") ?? document
    const all = Array.from(
      top.querySelectorAll<HTMLElement>("a[href], button, select, summary, input, textarea, [tabindex='0']")
    ).filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        element.closest("[inert]") === null &&
        element.tabIndex >= 0 &&
        !(element as HTMLInputElement).disabled
    )
    all.forEach((element, i) => (element.dataset["operable"] = String(i)))
    ;(document.activeElement as HTMLElement | null)?.blur()
    return all.length
  })
  const reached = new Set<string>()
  // At the end of a dialog the focus goes on to its beginning a moment later: what it passes over then is reached in the next round.
  for (let i = 0; i < 3 * operable + 20; i++) {
    await page.keyboard.press("Tab")
    const at = await page.evaluate(async () => {
      await new Promise(requestAnimationFrame)
      return (document.activeElement as HTMLElement | null)?.dataset["operable"]
    })
    if (at !== undefined) reached.add(at)
    if (reached.size === operable) break
  }
  return page.evaluate(
    (reached) =>
      Array.from(document.querySelectorAll<HTMLElement>("[data-operable]"))
        .filter(({ dataset }) => !reached.includes(dataset["operable"]!))
        .map(({ outerHTML }) => outerHTML.slice(0, 160)),
    [...reached]
  )
}

it("has each page of the router among those that are looked at", () => {
  expect(pathsOfRouter().toSorted()).toEqual(Object.keys(visits).toSorted())
})

describe.skipIf(chromiumPath === undefined || !isThorough)(
  "every page of the console, with hostile texts",
  () => {
    let server: ConsoleServer
    let hostile: HostileBrand

    endServersAfterTests()
    beforeAll(async () => {
      server = await startConsole({ LEAD_SIGNALS_WEBHOOK_RETRY: "3600" })
      hostile = await makeHostileBrand(server, await startReceiver(answerHostilely))
    })

    const open = async ({ page }: ConsoleWindow, { path, reach, streams = false }: Visit) => {
      const filled = path.replaceAll(/:(\w+)/g, (_, name: keyof HostileBrand) => String(hostile[name]))
      await page.goto("about:blank")
      await page.goto(`${server.url}/console${filled}`)
      await waitForContent(page)
      if (!streams) await page.waitForLoadState("networkidle")
      await reach?.(page, hostile)
    }
    const all = Object.values(visits).flat()

    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1400, 390])
        it(`is accessible, ${colorScheme}, ${width} pixels wide, and shows them as text`, async () => {
          const window = await server.open("/", { width, height: 800, colorScheme })
          const found: Array<readonly [string, unknown]> = []
          for (const visit of all) {
            const { page } = window
            const note = (what: string, those: ReadonlyArray<string>) => {
              if (those.length > 0) found.push([`${visit.path}: ${what}`, those])
            }
            const failure = await open(window, visit).catch((failure: Error) => failure)
            if (failure instanceof Error) {
              note("did not open", [failure.message])
              continue
            }
            note("axe", await axeFindings(page))
            note("injected", await injected(page))
            note("turned around", await turnedNeighbours(page))
            note(
              "width",
              await page.evaluate((width) => {
                const { scrollWidth } = document.documentElement
                return scrollWidth <= width ? [] : [String(scrollWidth)]
              }, width)
            )
            if (width === 390) note("targets", await smallTargets(page))
            else if (colorScheme === "light") note("not reached by Tab", await unreachable(page))
          }
          expect(found).toEqual([])
          // The browser itself notes answers to what the API does not take, and to ids that do not exist.
          expect(window.wrong.filter((text) => !/status of 40[04]/.test(text))).toEqual([])
          await window.context.close()
        })

    it("is accessible where one signs in, in both themes and at both widths", async () => {
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [1400, 390]) {
          const window = await server.open("/", { width, height: 800, colorScheme, credential: null })
          await window.page.getByLabel("Operator token or API key").waitFor()
          expect(await axeFindings(window.page)).toEqual([])
          if (width === 390) expect(await smallTargets(window.page)).toEqual([])
          else expect(await unreachable(window.page)).toEqual([])
          expect(window.wrong.filter((text) => !text.includes("status of 401"))).toEqual([])
          await window.context.close()
        }
    })
  }
)
