/**
 * The console as people use it, from the first brand to its leads: on a real server with SQLite, in a real browser.
 *
 * @slow each step is a page in a browser
 */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { endServersAfterTests, operatorToken } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  axeFindings,
  closeConsolesAfterTests,
  expectAccessible,
  type ConsoleServer,
  type ConsoleWindow,
  goBySequence,
  startConsole
} from "./ConsoleBrowser.ts"

const hostile = `<img src=x onerror="document.title='hacked'">`

closeConsolesAfterTests()

describe.skipIf(chromiumPath === undefined)("the console", () => {
  let server: ConsoleServer
  let brand: string
  let signal: string
  let main: ConsoleWindow
  let page: Page

  const observe = (
    people: ReadonlyArray<{ id: number; name: string; headline?: string; comment?: string }>
  ) =>
    server.operate("POST", `/operator/brands/${brand}/observations`, {
      observations: people.map(({ comment, headline, id, name }) => ({
        signalId: signal,
        person: { extId: `p-${id}`, name, headline: headline ?? `Buyer at Company ${id}` },
        engagement: {
          id: `e-${id}`,
          type: "comment",
          commentText: comment ?? "Where can I get it?",
          postUrl: "javascript:document.title='hacked'",
          postContent: "We have launched.",
          trackedAt: "2026-01-03T10:00:00Z"
        }
      }))
    })

  const go = (path: string) => page.goto(`${server.url}/console${path}`)
  const note = (text: string | RegExp) =>
    page.getByRole("status", { name: "Notes" }).getByText(text).waitFor()

  endServersAfterTests()
  beforeAll(async () => {
    server = await startConsole()
    main = await server.open("/")
    page = main.page
  })

  it("begins with a form for the first brand, and a list of what to do next [SES-6]", async () => {
    await page.getByLabel("Name of the brand").fill("Northwind")
    await page.getByRole("button", { name: "Create brand" }).click()
    await page.getByRole("heading", { name: "Set up this brand" }).waitFor()
    brand = /brands\/(\d+)/.exec(page.url())![1]!
    await page.getByText("0 of 6").waitFor()
    await page.getByLabel("Brand", { exact: true }).selectOption({ label: "New brand …" })
    await page.getByRole("dialog", { name: "New brand" }).waitFor()
    await page.keyboard.press("Escape")
    await expectAccessible(page)
  })

  it("creates a signal, renames and deletes others", async () => {
    await page.getByRole("link", { name: "Create a signal" }).click()
    await page.getByRole("button", { name: "New signal" }).first().click()
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Rivals")
    await page.getByLabel("URL of the page").fill("https://network.example/company/rival")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Create signal" }).click()
    await page.getByRole("link", { name: "Rivals" }).waitFor()
    const { data } = await server.operate("GET", `/operator/brands/${brand}/signals`)
    signal = data[0].id
    expect(data).toMatchObject([{ name: "Rivals", source: { type: "li-company-url" } }])
    await page.getByRole("button", { name: "Rename the signal Rivals" }).click()
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("All rivals")
    await page.getByRole("button", { name: "Rename", exact: true }).click()
    await page.getByRole("link", { name: "All rivals" }).waitFor()
  })

  it("imports CSV by a mapping that is guessed first, and shows rejected rows to mend", async () => {
    await go(`/brands/${brand}/import`)
    const csv = [
      "Name,External ID,Headline,Engagement id,Type,Comment,Date",
      'Ada Example,p-1,"Buyer, ""North""",e-1,comment,Where can I get it?,2026-01-02',
      "",
      "Bo Example,p-2,Seller,e-2,comments,Nice,2026-01-02"
    ].join("\r\n")
    await page.setInputFiles("#file", { name: "seen.csv", mimeType: "text/csv", buffer: Buffer.from(csv) })
    await page.getByText("Choose the column of: Signal: id.").waitFor()
    await page.getByLabel("Signal of rows that name none").selectOption({ label: "All rivals" })
    expect(await page.getByLabel("Field of the column Date").inputValue()).toBe("engagement.emittedAt")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Import", exact: true }).click()
    await page.getByRole("heading", { name: "1 rejected" }).waitFor()
    // The lines are those that an editor counts: of the header, and without anything, too.
    const cell = page.getByRole("textbox", { name: "Type of line 4" })
    expect(await cell.getAttribute("aria-invalid")).toBe("true")
    await cell.fill("comment")
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole("button", { name: "Send again" }).click()
    await page.getByRole("link", { name: "Open the leads" }).click()
    await page.getByRole("link", { name: "Ada Example" }).waitFor()
    const { data } = await server.operate("GET", `/operator/brands/${brand}/leads?sort=name:asc`)
    expect(data.map(({ headline, name }: any) => [name, headline])).toEqual([
      ["Ada Example", 'Buyer, "North"'],
      ["Bo Example", "Seller"]
    ])
  })

  it("finds leads as one types, keeps the state in the URL, and follows it back [OPER-9]", async () => {
    await observe(
      Array.from({ length: 128 }, (_, i) => ({ id: 100 + i, name: `Person ${String(i).padStart(3, "0")}` }))
    )
    await go(`/brands/${brand}/leads`)
    await page.getByText("1–25 of 130").waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("PERSON 00")
    await page.getByText("1–10 of 10").waitFor()
    expect(page.url()).toContain("search=PERSON+00")
    await page.getByLabel("Search names and headlines").fill("")
    await page.getByText("1–25 of 130").waitFor()
    await page.getByRole("link", { name: "Name", exact: true }).click()
    await page.waitForURL(/sort=name%3Aasc/)
    // The list of before stays until the answer is there.
    await page.locator("[data-lead]").first().getByText("Ada Example").waitFor()
    await page.getByRole("button", { name: "Next page" }).click()
    await page.getByText("26–50 of 130").waitFor()
    await page.goBack()
    await page.getByText("1–25 of 130").waitFor()
    await page.getByRole("combobox", { name: "Qualified" }).selectOption("true")
    await page.getByText("No lead matches").waitFor()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Clear all filters" }).click()
    await page.getByLabel("Rows a page").selectOption("50")
    await page.getByText("1–50 of 130").waitFor()
    await expectAccessible(page)
  })

  it.runIf(isThorough)(
    "opens a lead beside the list, by keys alone, and changes it with a way back",
    async () => {
      await go(`/brands/${brand}/leads?sort=name%3Aasc`)
      await page.locator("[data-lead]").first().waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      const panel = page.getByRole("complementary", { name: "Lead" })
      await panel.getByRole("heading", { name: "Ada Example" }).waitFor()
      await page.keyboard.press("j")
      await panel.getByRole("heading", { name: "Bo Example" }).waitFor()
      await page.keyboard.press("k")
      await panel.getByRole("heading", { name: "Ada Example" }).waitFor()
      const lead = async () => (await server.operate("GET", `/operator/brands/${brand}/leads/1`)).data
      await panel.getByRole("button", { name: "Qualified" }).click()
      await note("Marked as qualified")
      expect((await lead()).qualified).toBe(true)
      await page.getByRole("button", { name: "Undo" }).click()
      await panel.getByRole("button", { name: "Qualified", pressed: false }).waitFor()
      await expect.poll(async () => (await lead()).qualified).toBe(false)
      await panel.getByLabel("Score").fill("42.5")
      await panel.getByRole("button", { name: "Save" }).click()
      await note("Score set to 42.5")
      expect((await lead()).score1).toBe(42.5)
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })
      await page.keyboard.press("?")
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
      await page.keyboard.press("Escape")
      await goBySequence(page, "g", "w")
      await page.getByRole("heading", { name: "Webhooks" }).waitFor()
    }
  )

  it("shows what strangers wrote as text, and follows no script of theirs", async () => {
    await observe([{ id: 90, name: hostile, headline: `=HYPERLINK("x")`, comment: "\u202etxt.exe" }])
    await go(`/brands/${brand}/leads?search=onerror`)
    await page.getByRole("link", { name: hostile }).click()
    const panel = page.getByRole("complementary", { name: "Lead" })
    await panel.getByRole("heading", { name: hostile }).waitFor()
    expect(await panel.getByRole("link", { name: "Open the post" }).count()).toBe(0)
    await expect.poll(() => page.title()).toBe("Leads · Lead Signals")
    expect(await page.locator("img").count()).toBe(0)
  })

  it("exports what the filters let through, with formulas made harmless", async () => {
    const download = async (item: string | RegExp) => {
      await page.getByRole("button", { name: "Export", exact: true }).click()
      const started = page.waitForEvent("download")
      await page.getByRole("menuitem", { name: item }).click()
      return readFileSync(await (await started).path(), "utf8")
    }
    const csv = (await download(/CSV/)).split("\r\n")
    expect([csv.length, csv[0]!.split(",").slice(0, 4)]).toEqual([
      3,
      ["\uFEFFid", "extId", "name", "headline"]
    ])
    expect(csv[1]).toContain(`"'=HYPERLINK(""x"")"`)
    await go(`/brands/${brand}/leads`)
    const lines = (await download(/JSONL/)).trimEnd().split("\n")
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(131)
  })

  it.runIf(isThorough)("erases a person once the id is typed, and exports them before", async () => {
    await go(`/brands/${brand}/leads?search=onerror`)
    await page.getByRole("link", { name: hostile }).click()
    const started = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export the person" }).click()
    expect(JSON.parse(readFileSync(await (await started).path(), "utf8")).lead.name).toBe(hostile)
    await page.getByRole("button", { name: "Erase …" }).click()
    const erase = page.getByRole("button", { name: "Erase for good" })
    expect(await erase.isDisabled()).toBe(true)
    await expectAccessible(page)
    await page.getByLabel(/Type the lead's id/).fill("131")
    await erase.click()
    await note("The person is erased")
    await page.getByText("No lead matches").waitFor()
    expect((await server.operate("GET", `/operator/brands/${brand}/leads?search=onerror`)).data).toEqual([])
  })

  it("shows the calls of a page as curl", async () => {
    await go(`/brands/${brand}/leads?search=o%27hara&qualified=true`)
    await page.getByRole("button", { name: "curl" }).click()
    const command = await page.locator("pre").first().innerText()
    expect(command).toContain(`'${server.url}/operator/brands/${brand}/leads?search=o%27hara&qualified=true`)
    expect(command).toContain("$LEAD_SIGNALS_OPERATOR_TOKEN")
    expect(command).not.toContain(operatorToken)
    await expectAccessible(page)
    await page.keyboard.press("Escape")
  })

  it("has no error on its console, and asks nothing of another origin", () => {
    expect(main.wrong).toEqual([])
  })
})
