/** What people do with leads and signals in the console: each as a person does it, on a real server, in a real browser. */
import { expect, it } from "vitest"
import { axeFindings, goBySequence } from "./ConsoleBrowser.ts"
import { describePerson, gate, leadCount } from "./ConsolePerson.ts"

describePerson("a person who reads leads", (person) => {
  it("goes through the whole list of leads by keys, and opens one of them", async () => {
    const { go, page } = person()
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
    const { button, go, page } = person()
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
    const { brand, server } = person()
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
    const { go, operate, page, server, signal } = person()
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
    const { button, go, note, operate, page } = person()
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
    const { button, choose, go, note, page, saved, window } = person()
    await go("/leads")
    await page.getByText("1–25 of 130").waitFor()
    const second = gate()
    // Whatever the size of the page that comes after the first one.
    const later = /\/leads\?sort=createdAt%3Aasc&page=(?!1&)/
    await window.context.route(later, async (route) => {
      await second.opened
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
    await window.context.unroute(later)
  })

  it("deletes a signal, whose leads stay", async () => {
    const { button, go, note, operate, page } = person()
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
    expect(person().window.wrong.filter((text) => !text.includes("status of 403"))).toEqual([])
  })
})
