/**
 * How long the console takes, in Chromium, over many leads: from an input until the page shows what it leads to, and until a page is
 * there at all. Each round begins with an empty cache of the page.
 */
import type { Page } from "playwright-core"
import { launchChromium } from "../harness/Chromium.ts"
import type { Progress } from "./BulkLoad.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { limited, type Section } from "./Report.ts"
import { operatorToken, type Programs, startSubject } from "./Servers.ts"
import { quantile } from "./Statistics.ts"
import * as Words from "./Words.ts"

const interactionMillis = 150
const firstContentMillis = 1000
/** By which the processor is slowed for the first content. */
const slowdown = 4

/** What is done in the page, and what it must show then; both are sources of functions. */
interface Interaction {
  readonly name: string
  readonly act: string
  readonly isDone: string
}

const click = (selector: string): string =>
  `() => { const target = document.querySelector(${JSON.stringify(selector)}); target.focus(); target.click() }`
const key = (name: string): string =>
  `() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "${name}", bubbles: true }))`
const choose = (label: string, value: string): string => `() => {
  const select = [...document.querySelectorAll("select")].find((each) => each.getAttribute("aria-label") === "${label}" || each.labels[0]?.innerText.includes("${label}"))
  Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(select, "${value}")
  select.dispatchEvent(new Event("change", { bubbles: true }))
}`
const type = (text: string): string => `() => {
  const field = document.querySelector("[data-search]")
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, ${JSON.stringify(text)})
  field.dispatchEvent(new Event("input", { bubbles: true }))
}`

/** The list is that of the URL: no longer the one before, which is shown paler meanwhile. */
const listOf = (name: string, value: string | null): string =>
  `() => new URLSearchParams(location.search).get("${name}") === ${JSON.stringify(value)} && document.querySelector("table.opacity-60") === null && document.querySelector("[data-lead]") !== null`

/** The lead of this row is beside the list. */
const leadOf = (row: number): string => `() => {
  const link = document.querySelectorAll("[data-lead]")[${row}]
  const heading = document.querySelector("aside h2")
  return new URLSearchParams(location.search).get("lead") === link.dataset.lead && heading !== null && link.innerText.includes(heading.innerText)
}`

const interactions = (round: number): ReadonlyArray<Interaction> => {
  const word = Words.lastNames[(round * 7) % Words.lastNames.length]!
  return [
    { name: "sort", act: click("th:nth-child(1) a"), isDone: listOf("sort", "name:asc") },
    {
      name: "next-page",
      act: click("button[aria-label='Next page']"),
      isDone: listOf("page", "2")
    },
    { name: "filter", act: choose("Qualified", "true"), isDone: listOf("qualified", "true") },
    { name: "search", act: type(word), isDone: listOf("search", word) },
    {
      name: "open-a-lead",
      act: click("[data-lead]"),
      isDone: leadOf(0)
    },
    { name: "next-lead", act: key("j"), isDone: leadOf(1) },
    {
      name: "change-a-flag",
      act: `() => { const flag = [...document.querySelectorAll("button[aria-pressed]")].find((each) => each.innerText === "Exported"); globalThis.before = flag.ariaPressed; globalThis.flag = flag; flag.click() }`,
      isDone: `() => globalThis.flag.ariaPressed !== globalThis.before`
    },
    {
      name: "close-the-lead",
      act: key("Escape"),
      isDone: `() => !location.search.includes("lead=")`
    },
    {
      name: "go-to-signals",
      act: click("nav a[href$='/signals']"),
      isDone: `() => document.title.startsWith("Signals") && document.querySelector("table") !== null`
    },
    { name: "go-to-leads", act: click("nav a[href$='/leads']"), isDone: listOf("lead", null) }
  ]
}

/** From the input until the frame after the one in which the page shows its effect. */
const measured = (page: Page, { act, isDone }: Interaction): Promise<number> =>
  page.evaluate(
    `new Promise((resolve, reject) => {
      const act = ${act}
      const isDone = ${isDone}
      const frame = () => new Promise(requestAnimationFrame)
      const startedAt = performance.now()
      const look = async () => {
        await frame()
        for (;;) {
          await frame()
          if (isDone()) return resolve(performance.now() - startedAt)
          if (performance.now() - startedAt > 20000) return reject(new Error("nothing came"))
        }
      }
      act()
      look().catch(reject)
    })`
  )

interface Opened {
  readonly firstContent: number
  readonly firstRows: number
  readonly scriptBytes: number
}

/** A page that is opened with an empty cache of the browser, on a slow processor. */
const opened = async (page: Page, url: string): Promise<Opened> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown })
  await page.goto(url)
  await page.waitForSelector("[data-lead]")
  return page.evaluate(() => ({
    firstContent: performance.getEntriesByName("first-contentful-paint")[0]!.startTime,
    firstRows: performance.now(),
    scriptBytes: performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.endsWith(".js"))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0)
  }))
}

/** Measures each interaction `rounds` times over a file of so many leads. */
export const measureConsole = async (
  programs: Programs,
  leads: number,
  rounds: number,
  { say }: Progress
): Promise<ReadonlyArray<Section>> => {
  const file = copyOf(await databaseOf("subject", leads, { say }))
  const server = await startSubject(programs, file)
  const browser = await launchChromium()
  const times = new Map<string, Array<number>>()
  const openings: Array<Opened> = []
  try {
    const contextOf = async () => {
      const context = await browser.newContext({
        viewport: { width: 1400, height: 900 },
        reducedMotion: "reduce"
      })
      await context.request.post(`${server.url}/session`, { data: { credential: operatorToken } })
      return context
    }
    const list = `${server.url}/console/brands/1/leads`
    for (let round = 0; round < rounds; round++) {
      say(`console, round ${round + 1} of ${rounds}`)
      const context = await contextOf()
      const page = await context.newPage()
      await page.goto(list)
      await page.waitForSelector("[data-lead]")
      for (const interaction of interactions(round)) {
        const millis = await measured(page, interaction).catch((failure: Error) => {
          throw new Error(`${interaction.name}: ${failure.message}`)
        })
        times.set(interaction.name, [...(times.get(interaction.name) ?? []), millis])
        // What the interaction set off besides is not on the account of the next.
        await page.waitForLoadState("networkidle")
      }
      await context.close()
    }
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      const context = await contextOf()
      openings.push(await opened(await context.newPage(), list))
      await context.close()
    }
  } finally {
    await browser.close()
    await server.stop()
    removeDatabase(file)
  }
  const all = [...times.values()].flat()
  return [
    {
      title: `Console, ${leads.toLocaleString("en")} leads`,
      note: `Milliseconds in Chromium from an input until the page shows its effect, ${rounds} times each: the 95th percentile, from the least to the most; the reference is the median.`,
      lines: [
        ...[...times].map(([name, millis]) => ({
          ...limited(`console-${name}`, leads, millis, null, millis),
          figure: String(Math.round(quantile(millis, 0.95))),
          referenceSpread: ""
        })),
        {
          ...limited("console-all", leads, [quantile(all, 0.95)], interactionMillis, all),
          referenceSpread: ""
        }
      ]
    },
    {
      title: "Console, first load",
      note: `Milliseconds until something is painted, and until the list is there, with the processor slowed ${slowdown} times; bytes of compressed script.`,
      lines: [
        limited(
          "console-first-content",
          leads,
          openings.map(({ firstContent }) => firstContent),
          firstContentMillis
        ),
        limited(
          "console-first-rows",
          leads,
          openings.map(({ firstRows }) => firstRows),
          null
        ),
        limited(
          "console-script-bytes",
          leads,
          openings.map(({ scriptBytes }) => scriptBytes),
          200_000
        )
      ]
    }
  ]
}
