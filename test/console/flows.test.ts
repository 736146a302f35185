/** What people do in the console now and then: each as a person does it, on a real server, in a real browser. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page, Route } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { callJson, endServersAfterTests } from "../harness/ServerProcess.ts"
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

const leadCount = 130

/** A promise that is settled from outside. */
const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

const stores = [
  { store: "SQLite", isMissing: false, settings: async () => ({}) },
  {
    store: "Postgres",
    isMissing: isWithoutPostgres,
    settings: async () => ({ LEAD_SIGNALS_DATABASE: await newDatabase() })
  }
]

const isSkipped = chromiumPath === undefined || !isThorough

describe.each(stores)("a person in the console, on $store", ({ isMissing, settings }) => {
  if (isSkipped || isMissing) return it.skip("is left to thorough runs with Chromium and the store", () => {})
  let server: ConsoleServer
  let window: ConsoleWindow
  let page: Page
  let brand: string
  let signal: string
  let receiverStatus = 200
  let receiverUrl: string

  const operate = (method: string, path: string, json?: unknown) =>
    server.operate(method, `/operator/brands/${brand}${path}`, json)
  const go = (path: string) => page.goto(`${server.url}/console/brands/${brand}${path}`)
  const note = (text: string | RegExp) =>
    page.getByRole("status", { name: "Notes" }).getByText(text).last().waitFor()
  const choose = async (menu: string, item: string | RegExp) => {
    await page.getByRole("button", { name: menu, exact: true }).click()
    await page.getByRole("menuitem", { name: item }).click()
  }
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true })
  const observation = (id: number, more: object = {}) => ({
    signalId: signal,
    person: { extId: `p-${id}`, name: `Person ${String(id).padStart(3, "0")}` },
    engagement: { id: `e-${id}`, type: "comment" },
    ...more
  })
  const webhookOf = async (description: string): Promise<string> =>
    (
      await operate("POST", "/webhooks", {
        url: `${receiverUrl}/hook`,
        events: ["lead2.created"],
        description
      })
    ).data.id
  const saved = async (click: () => Promise<void>): Promise<string> => {
    const started = page.waitForEvent("download")
    await click()
    return readFileSync(await (await started).path(), "utf8")
  }

  endServersAfterTests()
  beforeAll(async () => {
    receiverUrl = (await startReceiver((_, response) => response.writeHead(receiverStatus).end("noted"))).url
    server = await startConsole({
      LEAD_SIGNALS_WEBHOOK_RETRY: "1",
      LEAD_SIGNALS_RATE_LIMIT: "2",
      ...(await settings())
    })
    brand = (await server.operate("POST", "/operator/brands", { name: "Northwind" })).data.id
    signal = (
      await operate("POST", "/signals", {
        name: "Rivals",
        signalType: "t",
        source: { type: "posts-with-keywords", value: "launch" }
      })
    ).data.id
    await operate("POST", "/observations", {
      observations: Array.from({ length: leadCount }, (_, i) => observation(i))
    })
    window = await server.open(`/brands/${brand}`)
    page = window.page
  })

  it("goes through the whole list of leads by keys, and opens one of them", async () => {
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.keyboard.press("/")
    const search = page.getByLabel("Search names and headlines")
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.keyboard.type("person 00")
    await page.getByText("1–10 of 10").waitFor()
    expect(await page.locator("mark").first().innerText()).toBe("Person 00")
    await go("/leads?sort=name%3Aasc")
    await page.getByText("1–25 of 130").waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "")
    for (let i = 0; i < 25; i++) await page.keyboard.press("j")
    await expect.poll(focused).toContain("Person 024")
    await page.keyboard.press("j")
    await page.getByText("26–50 of 130").waitFor()
    await expect.poll(focused).toContain("Person 025")
    await page.keyboard.press("k")
    await page.getByText("1–25 of 130").waitFor()
    await expect.poll(focused).toContain("Person 024")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 2, name: "Person 024" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("complementary", { name: "Lead" }).waitFor({ state: "detached" })
    await goBySequence(page, "g", "s")
    await page.getByRole("link", { name: "Rivals" }).waitFor()
    await page.keyboard.press("j")
    await expect.poll(focused).toContain("Rivals")
  })

  it("chooses columns, which the browser keeps, and a window of time", async () => {
    await go("/leads")
    const titles = () => page.getByRole("columnheader").allInnerTexts()
    await expect.poll(titles).toContain("Flags")
    await button("Columns").click()
    const item = (name: string) => page.getByRole("menuitemcheckbox", { name })
    await item("Flags").click()
    await item("Signals").click()
    await page.keyboard.press("Escape")
    await expect.poll(titles).not.toContain("Flags")
    expect(await titles()).toContain("Signals")
    expect(await axeFindings(page)).toEqual([])
    await page.reload()
    await expect.poll(titles).toContain("Signals")
    expect(await titles()).not.toContain("Flags")
    await page.getByRole("combobox", { name: "Created" }).selectOption({ label: "Created: last 7 days" })
    await page.getByText("1–25 of 130").waitFor()
    await go("/leads?createdBefore=2020-01-01")
    await page.getByText("No lead matches").waitFor()
    await button("Clear all filters").click()
    await page.getByText("1–25 of 130").waitFor()
  })

  it("reads leads as cards on a phone, which fit it whatever they show", async () => {
    const phone = await server.open(`/brands/${brand}/leads?sort=name%3Aasc`, { width: 390, height: 800 })
    const cards = phone.page.getByRole("list", { name: "Leads" }).getByRole("listitem")
    await cards.nth(24).waitFor()
    expect(await phone.page.getByRole("table").count()).toBe(0)
    expect(await cards.first().innerText()).toMatch(/^P\nPerson 000\nCreated /)
    await phone.page.getByRole("button", { name: "Columns", exact: true }).click()
    await phone.page.getByRole("menuitemcheckbox", { name: "Signals" }).click()
    await phone.page.keyboard.press("Escape")
    await cards.first().getByText("Rivals").waitFor()
    const overflow = await cards.first().evaluate((card) => {
      const scroller = card.closest("ul")!.parentElement!
      return [scroller.scrollWidth - scroller.clientWidth, card.getBoundingClientRect().height >= 44]
    })
    expect(overflow).toEqual([0, true])
    await phone.page.getByLabel("Order of the leads").selectOption({ label: "Newest first" })
    await phone.page.waitForURL(/sort=createdAt%3Adesc/)
    await phone.page.getByLabel("Search names and headlines").fill("person 007")
    await phone.page.getByText("1–1 of 1").waitFor()
    expect(await phone.page.locator("mark").first().innerText()).toBe("Person 007")
    await cards.first().click({ position: { x: 8, y: 8 } })
    await phone.page.getByRole("heading", { level: 2, name: "Person 007" }).waitFor()
    await phone.page.getByRole("button", { name: "Close the lead (Escape)" }).click()
    await cards.first().waitFor()
    // A wider window has the table.
    await phone.page.setViewportSize({ width: 1200, height: 800 })
    await phone.page.getByRole("columnheader", { name: "Name" }).waitFor()
    expect(phone.wrong).toEqual([])
    await phone.context.close()
  })

  it("reads all engagements of a lead, however many there are", async () => {
    const count = 130
    await operate("POST", "/observations", {
      observations: Array.from({ length: count }, (_, i) => ({
        signalId: signal,
        person: { extId: "p-busy", name: "Busy Person" },
        engagement: {
          id: `busy-${i}`,
          type: "comment",
          commentText: `Comment ${i}`,
          trackedAt: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()
        }
      }))
    })
    await go("/leads?search=busy")
    await page.getByRole("link", { name: "Busy Person" }).click()
    const panel = page.getByRole("complementary", { name: "Lead" })
    const engagements = panel.getByRole("list", { name: "Engagements" }).getByRole("listitem")
    await engagements.nth(19).waitFor()
    expect(await engagements.count()).toBe(20)
    await panel.getByRole("button", { name: "Show all engagements" }).click()
    await panel.getByRole("button", { name: "Show 30 more of 30" }).click()
    await panel.getByText("All 130 are shown.").waitFor()
    const texts = await engagements.allInnerTexts()
    expect(texts.map((text) => Number(/Comment (\d+)/.exec(text)![1]))).toEqual(
      Array.from({ length: count }, (_, i) => count - 1 - i)
    )
    expect(await axeFindings(page)).toEqual([])
    const { data } = await server.operate("GET", "/operator/audit")
    expect(data.filter(({ operation }: any) => operation === "exportLead").length).toBe(1)
    await operate("DELETE", `/leads/${new URL(page.url()).searchParams.get("lead")}`)
  })

  it("changes a score, and takes it back", async () => {
    await go("/leads?lead=1")
    const score = page.getByLabel("Score", { exact: true })
    await score.fill("12.3456789")
    await button("Save").click()
    await note("Score set to 12.3456789")
    const kept = async () => (await operate("GET", "/leads/1")).data.score1
    expect(await kept()).toBe(12.3456789)
    // The whole number is to be seen.
    expect(await score.evaluate((field) => field.scrollWidth <= field.clientWidth)).toBe(true)
    await button("Undo").click()
    await expect.poll(kept).toBe(null)
    await expect.poll(() => score.inputValue()).toBe("")
  })

  it("sees how far an export is, and stops it", async () => {
    await go("/leads")
    await page.getByText("1–25 of 130").waitFor()
    const second = gate()
    let requested = 0
    await window.context.route(/\/leads\?.*pageSize=100/, async (route) => {
      requested += 1
      if (requested % 2 === 0) await second.opened
      await route.continue().catch(() => undefined)
    })
    await choose("Export", /JSONL/)
    await page.getByText("100 of 130").waitFor()
    expect(await axeFindings(page)).toEqual([])
    await button("Cancel").click()
    second.open()
    const text = await saved(() => choose("Export", /JSONL/))
    await note("Exported 130 leads")
    expect(text.trimEnd().split("\n").length).toBe(leadCount)
    await window.context.unroute(/\/leads\?.*pageSize=100/)
  })

  it("drops a file on the page, stops, mends what was rejected, and saves it", async () => {
    await go("/import")
    const lines = Array.from({ length: 2500 }, (_, i) => JSON.stringify(observation(1000 + i)))
    lines[0] = JSON.stringify(observation(1000, { engagement: { id: "e-1000", type: "wave" } }))
    lines[1] = "{ not JSON"
    const file = join(server.folder, "dropped.jsonl")
    writeFileSync(file, `${lines.join("\n")}\n`)
    const drop = async () => {
      const place = (await page.getByText("Drop a file here, or choose one").boundingBox())!
      const session = await window.context.newCDPSession(page)
      for (const type of ["dragEnter", "dragOver", "drop"] as const)
        await session.send("Input.dispatchDragEvent", {
          type,
          x: place.x + 5,
          y: place.y + 5,
          data: { items: [], files: [file], dragOperationsMask: 1 }
        })
    }
    const first = gate()
    const second = gate()
    let sent = 0
    const delay = async (route: Route) => {
      sent += 1
      if (sent === 2) {
        first.open()
        await second.opened
      }
      await route.continue()
    }
    await page.getByText("Drop a file here, or choose one").waitFor()
    await window.context.route("**/observations", delay)
    await drop()
    await page.getByText(/^JSONL, /).waitFor()
    await button("Import").click()
    await first.opened
    await page.getByRole("status").getByText("Importing").waitFor()
    await page.getByRole("heading", { name: "2 rejected" }).waitFor()
    await button("Stop").click()
    second.open()
    await page.getByRole("status").getByText("Stopped").waitFor()
    await window.context.unroute("**/observations", delay)
    expect(sent).toBe(2)

    // What was mended stays while the API refuses the batch.
    const cell = (line: number) => page.getByRole("textbox", { name: `Observation of line ${line}` })
    await cell(1).fill((await cell(1).inputValue()).replace("wave", "comment"))
    await window.context.route("**/observations", (route) =>
      route.fulfill({
        status: 403,
        contentType: "application/json",
        body: JSON.stringify({ error: { code: "forbidden", message: "Not now." } })
      })
    )
    await button("Send again").click()
    await page.getByRole("alert").getByText("Not now.").waitFor()
    await page.getByRole("heading", { name: "2 rejected" }).waitFor()
    expect(await cell(1).inputValue()).toContain('"comment"')
    expect(await axeFindings(page)).toEqual([])
    const text = await saved(() => button("Save as JSONL").click())
    expect(text).toBe(`${await cell(1).inputValue()}\n{ not JSON\n`)
    await window.context.unroute("**/observations")
    await button("Send again").click()
    await page.getByRole("heading", { name: "1 rejected" }).waitFor()
    await cell(2).fill(lines[2]!)
    await button("Send again").click()
    await page.getByRole("status").getByText("Done").waitFor()
    expect((await operate("GET", "/leads?search=Person+1000")).data.length).toBe(1)
  })

  it("rotates a webhook's secret, disables and enables the webhook, and deletes it", async () => {
    const id = await webhookOf("To the CRM")
    const kept = async () => (await operate("GET", `/webhooks/${id}`)).data
    await go(`/settings/webhooks/${id}`)
    await choose("More", /Rotate/)
    await page.getByText("signs for 24 hours").waitFor()
    expect(await axeFindings(page)).toEqual([])
    await button("Make a new secret").click()
    const secret = await page.getByText(/^whsec_/).innerText()
    await button("I have copied it").click()
    await page.getByText(secret).waitFor({ state: "detached" })
    await choose("More", "Disable")
    await note("Disabled: deliveries are held")
    await page.getByText("Deliveries are held until you enable it.").waitFor()
    expect((await kept()).enabled).toBe(false)
    await operate("POST", "/observations", { observations: [observation(900)] })
    await button("Held").click()
    await page.getByRole("link", { name: /lead2\.created/ }).waitFor()
    expect(new URL(page.url()).search).toBe("?state=held")
    await button("Enable").click()
    await note("Enabled: what was held is sent")
    await page.getByText("No delivery is held").waitFor()
    await button("Delivered").click()
    await page.getByRole("link", { name: /lead2\.created/ }).waitFor()
    await choose("More", /Delete/)
    await button("Delete for good").click()
    await note("Deleted the webhook")
    await page.getByRole("heading", { name: "Webhooks" }).waitFor()
    expect(await page.getByText("To the CRM").count()).toBe(0)
  })

  it("learns at home of dead deliveries, and sends them again, one and all", async () => {
    const id = await webhookOf("To the archive")
    receiverStatus = 500
    await operate("POST", "/observations", { observations: [901, 902, 903].map((n) => observation(n)) })
    const dead = async () =>
      (await operate("GET", `/webhooks/${id}/deliveries?state=dead`)).meta.pagination.total
    await expect.poll(dead).toBe(3)
    await go("")
    await page.getByRole("link", { name: "To the archive has 3 dead deliveries" }).click()
    await page.waitForURL(/state=dead/)
    const problem = page.getByText(/^Every attempt since .*:\d\d:\d\d.* has failed/)
    await problem.waitFor()
    receiverStatus = 200
    await page
      .getByRole("link", { name: /lead2\.created/ })
      .nth(2)
      .click()
    await page.getByText("The body held personal data, and went when the delivery was given up.").waitFor()
    await button("Send again").click()
    await page.getByText("Sends again").waitFor()
    await page.getByText("Status 200").waitFor()
    // The page hears of it without being read anew.
    await problem.waitFor({ state: "detached" })
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press("Escape")
    await choose("More", /Recover/)
    await page.getByLabel("Since").waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
    await note("Queued 2 deliveries again")
    await expect
      .poll(
        async () => (await operate("GET", `/webhooks/${id}/deliveries?state=delivered`)).meta.pagination.total
      )
      .toBe(3)
    await operate("DELETE", `/webhooks/${id}`)
  })

  it("learns at home of a key that met its limit", async () => {
    const { key } = (await operate("POST", "/keys", { label: "collector" })).data
    for (let i = 0; i < 3; i++) await callJson(`${server.url}/signals/leads`, key, "GET")
    await go("")
    await page.getByRole("link", { name: /collector.*limit/ }).click()
    await page.getByRole("heading", { name: "API Keys" }).waitFor()
  })

  it("hides the list of what to do next, and has it back", async () => {
    await go("")
    const list = page.getByRole("region", { name: "Set up this brand" })
    await list.getByRole("button", { name: "Hide the list" }).click()
    await list.waitFor({ state: "detached" })
    await button("Undo").click()
    await list.waitFor()
    await list.getByRole("button", { name: "Hide the list" }).click()
    await page.reload()
    await page.getByRole("heading", { name: "Needs a hand" }).waitFor()
    expect(await list.count()).toBe(0)
  })

  it("deletes a signal, whose leads stay", async () => {
    await go("/signals")
    await button("Delete the signal Rivals").click()
    await page.getByText("Its leads and their engagements stay").waitFor()
    expect(await axeFindings(page)).toEqual([])
    await button("Delete for good").click()
    await note("Deleted the signal Rivals")
    await page.getByText("No signals yet").waitFor()
    expect((await operate("GET", "/leads?search=Person+001")).data.length).toBe(1)
    await go("/import")
    await page.getByText("Create a signal first").waitFor()
  })

  it("had no error on the console, and nothing was asked of another origin", () => {
    expect(window.wrong.filter((text) => !text.includes("status of 403"))).toEqual([])
  })

  it("reads what is wrong with a page that can't be drawn, and goes on elsewhere", async () => {
    const broken = await server.open(`/brands/${brand}/leads`)
    await broken.page.locator("[data-lead]").first().waitFor()
    await broken.context.route("**/campaigns", (route) => route.fulfill({ json: { data: [null] } }))
    await goBySequence(broken.page, "g", "c")
    await broken.page.getByText(/^This page has failed: /).waitFor()
    expect(await axeFindings(broken.page)).toEqual([])
    await goBySequence(broken.page, "g", "l")
    await broken.page.locator("[data-lead]").first().waitFor()
    await broken.context.close()
  })
})
