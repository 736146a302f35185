/** The pages of the console that show what happens and what happened: Live, Campaigns and Home. */
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { endServersAfterTests } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  axeFindings,
  closeConsolesAfterTests,
  type ConsoleServer,
  type ConsoleWindow,
  goBySequence,
  startConsole
} from "./ConsoleBrowser.ts"

closeConsolesAfterTests()

const stores = [
  { store: "memory", isSkipped: false, database: async () => "memory" },
  { store: "Postgres", isSkipped: isWithoutPostgres || !isThorough, database: newDatabase }
]

describe.each(stores)("the console's figures, from $store", ({ database, isSkipped }) => {
  if (chromiumPath === undefined || isSkipped)
    return it.skip("are left to thorough runs with Chromium and the store", () => {})
  let server: ConsoleServer
  let window: ConsoleWindow
  let page: Page
  let brand: string
  const signals: Array<string> = []

  const observe = (name: string, signal = 0) =>
    server.operate("POST", `/operator/brands/${brand}/observations`, {
      observations: [
        {
          signalId: signals[signal],
          person: { extId: name, name, headline: `Headline of ${name}` },
          engagement: { id: `e-${name}`, type: "comment", trackedAt: new Date().toISOString() }
        }
      ]
    })
  const go = (path: string) => page.goto(`${server.url}/console/brands/${brand}${path}`)
  const row = (text: string) => page.getByRole("listitem").filter({ hasText: text })

  endServersAfterTests()
  beforeAll(async () => {
    server = await startConsole({ LEAD_SIGNALS_DATABASE: await database() })
    brand = (await server.operate("POST", "/operator/brands", { name: "Northwind" })).data.id
    for (const name of ["Rivals", "Words"]) {
      const { data } = await server.operate("POST", `/operator/brands/${brand}/signals`, {
        name,
        signalType: "t",
        source: { type: "posts-with-keywords", value: "w" }
      })
      signals.push(data.id)
    }
    window = await server.open(`/brands/${brand}/live`)
    page = window.page
  })

  it.runIf(isThorough)(
    "show events as they happen, with filters, and stand still while paused [LIVE-1]",
    async () => {
      await page.getByText("Connected", { exact: true }).waitFor()
      await page.getByText("Nothing yet").waitFor()
      await observe("<b>Ada</b>")
      await row("<b>Ada</b>").nth(1).waitFor()
      await observe("Bo", 1)
      await row("Bo").nth(1).waitFor()
      expect(await page.getByRole("listitem").getByRole("link").allInnerTexts()).toEqual([
        "Bo",
        "Bo",
        "<b>Ada</b>",
        "<b>Ada</b>"
      ])
      expect(await axeFindings(page)).toEqual([])
      await page.getByLabel("Event", { exact: true }).selectOption("lead2.created")
      await page.getByText("2 shown").waitFor()
      await page.getByLabel("Signal", { exact: true }).selectOption({ label: "Words" })
      await page.getByText("1 shown").waitFor()
      expect(page.url()).toContain(`event=lead2.created&signalId=${signals[1]}`)
      await go("/live")
      await page.getByText("Connected", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Pause" }).click()
      await observe("Cy")
      await page.getByText("2 more, held while the list stands still").waitFor()
      await page.getByRole("button", { name: "Go on" }).click()
      await row("Cy").first().getByRole("link").click()
      await page.getByRole("complementary", { name: "Lead" }).getByRole("heading", { name: "Cy" }).waitFor()
    }
  )

  it.runIf(isThorough)("go on where they were when the connection is lost, and say so [LIVE-2]", async () => {
    const requested: Array<string | undefined> = []
    let isLossSeen = false
    await window.context.route("**/events", async (route) => {
      requested.push(route.request().headers()["last-event-id"])
      if (isLossSeen) return route.continue()
      // Until the page was seen to say so, the server ends each stream after its first block.
      await route.fulfill({ contentType: "text/event-stream", body: "id: 2\nretry: 1000\n\n" })
    })
    await go("/live")
    await page.getByText("Connection lost. Connecting again.").waitFor()
    isLossSeen = true
    await row("Cy").first().waitFor()
    await page.getByText("Connected", { exact: true }).waitFor()
    expect([requested[0], ...new Set(requested.slice(1))]).toEqual([undefined, "2"])
    await window.context.unroute("**/events")
  })

  it.runIf(isThorough)(
    "plot a campaign, and one of its posts, with a table of the same numbers [SERIES-3, SERIES-4]",
    async () => {
      await goBySequence(page, "g", "c")
      await page.getByRole("button", { name: "New campaign" }).click()
      await page.getByLabel("Name").fill("Spring launch")
      await page.getByRole("button", { name: "Create campaign" }).click()
      await page.getByText("No reading in this period").waitFor()
      // The day may end meanwhile.
      const begun = Date.now()
      const dayBefore = (days: number) => new Date(begun - days * 86_400_000).toISOString().slice(0, 10)
      const put = (post: string, days: number, impressions: number) =>
        server.operate(
          "PUT",
          `/operator/brands/${brand}/campaigns/1/posts/${post}/snapshots/${dayBefore(days)}`,
          { impressions, reactions: 4, comments: 1, reposts: 0 }
        )
      await put("launch", 2, 1000)
      await put("launch", 1, 1500)
      await put("video", 1, 200)
      await go("/campaigns?days=7")
      await page.getByRole("button", { name: "Table" }).first().click()
      /** The numbers of the days from the third before to the first. */
      const numbers = async () => {
        const rows = page.getByRole("region", { name: "Table: Impressions" }).locator("tbody tr")
        const cells = await rows.evaluateAll((rows) =>
          rows.map((row) => Array.from(row.children, ({ textContent }) => textContent))
        )
        const numberOf = (date: string) => {
          const dayOfMonth = new RegExp(`\\b${Number(date.slice(8))}\\b`)
          return cells.find(([time]) => dayOfMonth.test(time!))?.[1]
        }
        return [3, 2, 1, 0].map((days) => numberOf(dayBefore(days)))
      }
      await expect.poll(numbers).toEqual(["–", "1,000", "1,700", "1,700"])
      await page.locator(".uplot canvas").nth(2).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole("link", { name: "video" }).click()
      await page.getByRole("button", { name: "Post video" }).waitFor()
      await expect.poll(numbers).toEqual(["–", "–", "200", "200"])
      await page.getByRole("button", { name: "Post video" }).click()
      await page.getByLabel("Figures").selectOption("gained")
      await expect.poll(numbers).toEqual(["–", "1,000", "700", "0"])
    }
  )

  it("sum up at home what happened, and name what was rejected [SERIES-5, OPER-13]", async () => {
    // Known already where the events were looked at before: nothing is counted twice.
    await observe("<b>Ada</b>")
    await observe("Bo", 1)
    await observe("Cy")
    await server.operate("POST", `/operator/brands/${brand}/observations`, { observations: [{}] })
    await go("?interval=hour&by=signal")
    await page.getByText("One observation rejected").waitFor()
    await page.getByRole("heading", { name: "New leads: 3" }).waitFor()
    await page.getByRole("heading", { name: "Engagements: 3" }).waitFor()
    await page.getByRole("button", { name: "Table" }).nth(1).click()
    const region = page.getByRole("region", { name: "Table: Engagements: 3" })
    expect(await region.locator("thead th").allInnerTexts()).toEqual(["Time", "Rivals", "Words"])
    expect(await axeFindings(page)).toEqual([])
  })

  it("have no error on the console, and ask nothing of another origin", () => {
    expect(window.wrong).toEqual([])
  })
})
