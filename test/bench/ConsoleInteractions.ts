/**
 * How long the console takes, in Chromium, over many leads: from an input until the page shows what it leads to, and until a page is
 * there at all. Each round begins with an empty cache of the page.
 */
import type { CDPSession, Page } from "playwright-core"
import { launchChromium } from "../harness/Chromium.ts"
import type { Progress } from "./BulkLoad.ts"
import { type LiveFigures, liveSection, measureLive, recordNew } from "./ConsoleLive.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { newObservation } from "./NewObservation.ts"
import { preciseMillisOf } from "./ProcessorTime.ts"
import { limited, type Section } from "./Report.ts"
import { operatorToken, type Programs, type Server, startSubject } from "./Servers.ts"
import { quantile } from "./Statistics.ts"
import * as Words from "./Words.ts"

const interactionMillis = 150
const firstContentMillis = 1000
/** By which the processor is slowed for the first content. */
const slowdown = 4
/** What the page waits after a key for the next one, as `console/LeadFilters.tsx` has it. */
const typingMillis = 50

/** How much of the console is measured. */
export interface ConsolePace {
  readonly rounds: number
  /** Whether interactions and the first load are measured, and Live. */
  readonly parts: { readonly pages: boolean; readonly live: boolean }
  /** How long Live is looked at. */
  readonly liveSeconds: number
}

/** What is done in the page, and what it must show then; all are sources of functions. */
interface Interaction {
  readonly name: string
  readonly act: string
  readonly isDone: string
  /** What has to be done before, which is not measured. */
  readonly prepare?: string
}

const click = (selector: string): string =>
  `() => { const target = document.querySelector(${JSON.stringify(selector)}); target.focus(); target.click() }`
const clickText = (selector: string, text: string): string =>
  `() => [...document.querySelectorAll(${JSON.stringify(selector)})].find(({ innerText }) => innerText.trim() === ${JSON.stringify(text)}).click()`
const key = (name: string): string =>
  `() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "${name}", bubbles: true }))`
const choose = (label: string, value: string): string => `() => {
  const select = [...document.querySelectorAll("select")].find((each) => each.getAttribute("aria-label") === "${label}" || each.labels[0]?.innerText.includes("${label}"))
  Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(select, "${value}")
  select.dispatchEvent(new Event("change", { bubbles: true }))
}`
const fill = (selector: string, text: string): string => `() => {
  const field = document.querySelector(${JSON.stringify(selector)})
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

const rowsOf = (count: number): string => `() => document.querySelectorAll("[data-lead]").length === ${count}`

/** A name as it is typed, key by key. */
const typing = (word: string): ReadonlyArray<Interaction> =>
  Array.from(word, (_, i) => {
    const text = word.slice(0, i + 1)
    return { name: "search", act: fill("[data-search]", text), isDone: listOf("search", text) }
  })

/** What somebody does with a list of leads, in this order. */
const interactions = (round: number): ReadonlyArray<Interaction> => {
  const day = `2025-${String(1 + (round % 9)).padStart(2, "0")}-15`
  return [
    { name: "sort-by-name", act: clickText("th a", "Name"), isDone: listOf("sort", "name:asc") },
    { name: "next-page", act: click("button[aria-label='Next page']"), isDone: listOf("page", "2") },
    { name: "sort-by-score", act: clickText("th a", "Score"), isDone: listOf("sort", "score1:desc") },
    { name: "filter-by-a-flag", act: choose("Qualified", "true"), isDone: listOf("qualified", "true") },
    {
      name: "filter-by-a-signal",
      act: choose("Signal", String(1 + (round % 20))),
      isDone: listOf("signalId", String(1 + (round % 20)))
    },
    { name: "clear-all", act: clickText("button", "Clear all"), isDone: listOf("qualified", null) },
    {
      name: "window",
      prepare: choose("Created", "custom"),
      act: fill("[aria-label='Created on or after']", day),
      isDone: listOf("createdAfter", day)
    },
    { name: "sort-by-update", act: clickText("th a", "Updated"), isDone: listOf("sort", "updatedAt:desc") },
    ...typing(Words.lastNames[(round * 7) % Words.lastNames.length]!),
    { name: "open-a-lead", act: click("[data-lead]"), isDone: leadOf(0) },
    { name: "next-lead", act: key("j"), isDone: leadOf(1) },
    {
      name: "change-a-flag",
      act: `() => { const flag = [...document.querySelectorAll("button[aria-pressed]")].find((each) => each.innerText === "Exported"); globalThis.before = flag.ariaPressed; globalThis.flag = flag; flag.click() }`,
      isDone: `() => globalThis.flag.ariaPressed !== globalThis.before`
    },
    { name: "close-the-lead", act: key("Escape"), isDone: `() => !location.search.includes("lead=")` },
    { name: "clear-the-search", act: clickText("button", "Clear all"), isDone: listOf("search", null) },
    { name: "hundred-rows", act: choose("Rows a page", "100"), isDone: rowsOf(100) },
    {
      name: "scroll",
      act: `() => { globalThis.scroller = document.querySelector("table").parentElement; globalThis.scroller.scrollTop += 1500 }`,
      isDone: `() => globalThis.scroller.scrollTop >= 1500`
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
const measured = async (page: Page, { act, isDone, prepare }: Interaction): Promise<number> => {
  if (prepare !== undefined) await page.evaluate(`(${prepare})()`)
  return page.evaluate(
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
}

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

type ProcessorMillis = readonly [page: number, server: number]

/** Processor time so far of the page's process, and of the server with all its threads. */
const processorMillis = async (session: CDPSession, { pid }: Server): Promise<ProcessorMillis> => {
  const { metrics } = await session.send("Performance.getMetrics")
  return [metrics.find(({ name }) => name === "ProcessTime")!.value * 1000, preciseMillisOf(pid)]
}

/** Records a lead before each interaction, so that none is answered by what the server has kept since the one before. */
const writerOf = (url: string) => {
  let written = 0
  return async (): Promise<void> => {
    written += 1
    await recordNew(url, [newObservation(written, "1")])
  }
}

/** Measures each interaction `rounds` times over a file of so many leads, the first load, and the page Live. */
export const measureConsole = async (
  programs: Programs,
  leads: number,
  pace: ConsolePace,
  { say }: Progress
): Promise<ReadonlyArray<Section>> => {
  // The first of them is right after the start.
  const rounds = pace.parts.pages ? pace.rounds + 1 : 0
  const file = copyOf(await databaseOf("subject", leads, { say }))
  const server = await startSubject(programs, file)
  const browser = await launchChromium()
  const times = new Map<string, Array<number>>()
  /** What the first round took: the server, which was started just before, loads the texts of the brand meanwhile. */
  const timesAfterStart: Array<number> = []
  const processorTimes = new Map<string, Array<ProcessorMillis>>()
  const openings: Array<Opened> = []
  const write = writerOf(server.url)
  const contextOf = async () => {
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      reducedMotion: "reduce"
    })
    await context.request.post(`${server.url}/session`, { data: { credential: operatorToken } })
    return context
  }
  const list = `${server.url}/console/brands/1/leads`
  let live: LiveFigures | null = null
  try {
    for (let round = 0; round < rounds; round++) {
      say(round === 0 ? "console, right after the start" : `console, round ${round} of ${pace.rounds}`)
      const context = await contextOf()
      const page = await context.newPage()
      await page.goto(list)
      await page.waitForSelector("[data-lead]")
      const session = await context.newCDPSession(page)
      await session.send("Performance.enable")
      for (const interaction of interactions(round)) {
        await write()
        const { name } = interaction
        const before = await processorMillis(session, server)
        const millis = await measured(page, interaction).catch((failure: Error) => {
          throw new Error(`${name}: ${failure.message}`)
        })
        const after = await processorMillis(session, server)
        if (round === 0) {
          timesAfterStart.push(millis)
          await page.waitForLoadState("networkidle")
          continue
        }
        times.set(name, [...(times.get(name) ?? []), millis])
        const used = after.map((each, i) => each - before[i]!) as unknown as ProcessorMillis
        processorTimes.set(name, [...(processorTimes.get(name) ?? []), used])
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
    if (pace.parts.live) {
      say(`console, ${pace.liveSeconds} seconds of Live`)
      const context = await contextOf()
      live = await measureLive(await context.newPage(), server.url, pace.liveSeconds)
    }
  } finally {
    await browser.close()
    await server.stop()
    removeDatabase(file)
  }
  const all = [...times.values()].flat()
  const ofLive = live === null ? [] : [liveSection(leads, live, pace.liveSeconds)]
  if (!pace.parts.pages) return ofLive
  return [
    {
      title: `Console, ${leads.toLocaleString("en")} leads`,
      note: `Milliseconds in Chromium from an input until the page shows its effect, each right after a write: the 95th percentile, from the least to the most; the reference is the median. A search is that of each key that is typed, with the ${typingMillis} ms that the page waits for the next one. What the round right after the server's start takes, while it loads the texts of the brand, stands in a line of its own.`,
      lines: [
        ...[...times].map(([name, millis]) => ({
          ...limited(`console-${name}`, leads, [quantile(millis, 0.95)], interactionMillis, millis),
          spread: limited("", leads, millis, null).spread,
          referenceSpread: ""
        })),
        {
          ...limited("console-after-start", leads, [quantile(timesAfterStart, 0.95)], null, timesAfterStart),
          spread: limited("", leads, timesAfterStart, null).spread,
          referenceSpread: ""
        },
        {
          ...limited("console-all", leads, [quantile(all, 0.95)], interactionMillis, all),
          spread: limited("", leads, all, null).spread,
          referenceSpread: ""
        }
      ]
    },
    {
      title: `Console, ${leads.toLocaleString("en")} leads, processor time`,
      note: "Milliseconds of processor time of the page's process until the page shows the effect, the 95th percentile; the reference is that of the server, with its threads. Other work on the machine changes these far less.",
      lines: [...processorTimes].map(([name, used]) => {
        const [page, server] = [used.map(([each]) => each), used.map(([, each]) => each)]
        return {
          ...limited(`console-processor-${name}`, leads, [quantile(page, 0.95)], null, [
            quantile(server, 0.95)
          ]),
          spread: limited("", leads, page, null).spread,
          referenceSpread: limited("", leads, server, null).spread
        }
      })
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
    },
    ...ofLive
  ]
}
