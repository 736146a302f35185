/** The console as people use it: on a real server with SQLite, in a real browser. */
import { createServer } from "node:http"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { endServersAfterTests, operatorToken } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  axeFindings,
  closeBrowserAfterTests,
  type ConsoleServer,
  type ConsoleWindow,
  goBySequence,
  startConsole
} from "./ConsoleBrowser.ts"

const hostile = `<img src=x onerror="document.title='hacked'">`

closeBrowserAfterTests()

/** Axe takes longer than most flows: a default run has it look at four pages, a thorough one at each dialog and state. */
const expectAccessible = async (page: Page): Promise<void> => {
  if (isThorough) expect(await axeFindings(page)).toEqual([])
}

describe.skipIf(chromiumPath === undefined)("the console", () => {
  let server: ConsoleServer
  let brand: string
  let signal: string
  let main: ConsoleWindow
  let page: Page

  const received: Array<string> = []
  let receiverStatus = 200
  const receiver = createServer((request, response) => {
    received.push(request.url!)
    request.resume().on("end", () => response.writeHead(receiverStatus).end("as you wish"))
  })

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
    receiver.listen(0, "127.0.0.1")
    await once(receiver, "listening")
    server = await startConsole()
    main = await server.open("/")
    page = main.page
  })
  afterAll(() => void receiver.close())

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

  it("creates a webhook, shows its secret once, and sends events to it", async () => {
    await go(`/brands/${brand}/settings/webhooks`)
    await page.getByRole("button", { name: "New webhook" }).first().click()
    const { port } = receiver.address() as AddressInfo
    await page.getByLabel("URL").fill(`http://127.0.0.1:${port}/hook`)
    await page.getByLabel("Description").fill("To the CRM")
    await page.getByRole("button", { name: "Create webhook" }).click()
    await page.getByText(/^whsec_/).waitFor()
    await expectAccessible(page)
    await page.getByRole("button", { name: "I have copied it" }).click()
    await page.getByRole("link", { name: /To the CRM/ }).click()
    await page.getByRole("button", { name: "Send a test" }).click()
    await page.getByText("Status 200").waitFor()
    await page.getByText("The body held personal data, and went").waitFor()
    await page.getByText("Request", { exact: true }).click()
    const request = await page.getByLabel("Headers of attempt 1").innerText()
    expect(request).toContain(`POST http://127.0.0.1:${port}/hook`)
    expect(request).toMatch(/webhook-id: wh_\w+\nwebhook-timestamp: \d{10}\nwebhook-signature: v1,…/)
    expect(await page.getByLabel("Response to attempt 1").innerText()).toBe("as you wish")
    await expectAccessible(page)
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: /webhook\.test/ }).waitFor()
    await page.getByRole("region", { name: "Outcomes" }).getByRole("button", { name: "Table" }).click()
    expect(await page.getByRole("region", { name: "Table: Outcomes" }).innerText()).toMatch(/\t1\t0$/)
    expect(await axeFindings(page)).toEqual([])
    await go(`/brands/${brand}/leads?lead=1`)
    await page.getByLabel("Send an event again").selectOption({ index: 1 })
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText(/Attempt 1: status 200/).waitFor()
    expect(received).toEqual(["/hook", "/hook"])
  })

  it.runIf(isThorough)(
    "chooses how a webhook sends: its order, format and batches [ORD-1, ORD-4, FMT-3, BATCH-1]",
    async () => {
      const kept = async () => (await server.operate("GET", `/operator/brands/${brand}/webhooks`)).data[0]
      const sending = page.getByLabel("How it sends")
      await go(`/brands/${brand}/settings/webhooks`)
      await page.getByRole("link", { name: /To the CRM/ }).click()
      expect(await sending.innerText()).toContain("In any order, side by side")
      expect(await sending.innerText()).toContain("One event, as Envelope of version 1")
      await page.getByRole("button", { name: "Edit" }).click()
      await page.getByText("Advanced: order, format and batches").click()
      const held = page.getByLabel("Hold a lead back at most, seconds")
      expect(await held.count()).toBe(0)
      await page.getByLabel("Order").selectOption({ label: "Each lead's events one after the other" })
      await held.fill("600")
      await page.getByLabel("Format").selectOption({ label: "CloudEvents 1.0" })
      await page.getByLabel("Events in a post").fill("50")
      await page.getByLabel("Wait for others, seconds").fill("10")
      await expectAccessible(page)
      await page.getByRole("button", { name: "Save" }).click()
      await note("Saved the webhook")
      await sending.getByText("one that fails holds the next back for at most 600 s").waitFor()
      await sending.getByText("Up to 50 events, waiting for more at most 10 s, as CloudEvents 1.0").waitFor()
      const chosen = { ordering: "lead", maxDelay: 600, format: "cloudevents", maxBatch: 50, maxWait: 10 }
      expect(await kept()).toMatchObject({ ...chosen, description: "To the CRM", enabled: true })
      // Others change what this dialog leaves as it is.
      await page.getByRole("button", { name: "Edit" }).click()
      await server.operate("PATCH", `/operator/brands/${brand}/webhooks/${(await kept()).id}`, { maxWait: 7 })
      await held.fill("")
      await page.getByRole("button", { name: "Save" }).click()
      await sending.getByText("one that fails holds the next back as long as it is retried").waitFor()
      expect(await kept()).toMatchObject({ ...chosen, maxDelay: null, maxWait: 7 })
      const { id, ...before } = { id: (await kept()).id, ordering: "none", format: "envelope", maxBatch: 1 }
      await server.operate("PATCH", `/operator/brands/${brand}/webhooks/${id}`, { ...before, maxWait: 0 })
    }
  )

  it.runIf(isThorough)(
    "creates a key that signs in to read its brand alone, and revokes it [SES-3, SES-4]",
    async () => {
      await go(`/brands/${brand}/settings/keys`)
      await page.getByRole("button", { name: "Create New Key" }).first().click()
      await page.getByLabel("Label").fill("sales")
      await page.getByRole("button", { name: "Create key" }).click()
      const key = await page.getByText(/^lsk_\w{38}$/).innerText()
      await page.getByRole("button", { name: "Copy" }).click()
      await page.getByText("Copied", { exact: true }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
      await page.getByRole("button", { name: "I have copied it" }).click()
      await page.getByText(key).waitFor({ state: "detached" })
      await expectAccessible(page)

      const sales = await server.open(`/brands/${brand}/leads?search=ada`, { credential: null })
      await sales.page.getByLabel("Operator token or API key").fill(key)
      await expectAccessible(sales.page)
      await sales.page.getByRole("button", { name: "Sign in" }).click()
      await sales.page.getByRole("link", { name: "Ada Example" }).click()
      await sales.page.getByRole("heading", { name: "Ada Example" }).waitFor()
      expect(await sales.page.getByRole("button", { name: "Erase" }).count()).toBe(0)
      expect(await sales.page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(
        key.slice(0, 8)
      )
      await sales.page.goto(`${server.url}/console/brands/${brand}/settings/keys`)
      await sales.page.getByText("This page is the operator's").waitFor()
      expect(sales.wrong).toEqual([])

      await page.getByRole("button", { name: "Revoke the key sales" }).click()
      await page.getByRole("button", { name: "Revoke for good" }).click()
      await note("Revoked the key sales")
      await sales.page.getByRole("link", { name: "Open Leads" }).click()
      await sales.page.getByText("Your session has ended.").waitFor()
      await sales.context.close()
    }
  )

  it.runIf(isThorough)(
    "gives a colleague a token, offers what its scopes let pass, and logs what they did [OPER-10, OPER-11, OPER-12, AUD-4]",
    async () => {
      await go(`/brands/${brand}/settings/operators`)
      await page.getByRole("button", { name: "New token" }).first().click()
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Sales desk")
      await page.getByRole("checkbox", { name: /^read / }).uncheck()
      await page.getByRole("button", { name: "Create token" }).click()
      // A token needs a scope: the browser points at the first.
      expect(
        await page
          .getByRole("checkbox", { name: /^read / })
          .evaluate((box: any) => box.validity.valueMissing && box === document.activeElement)
      ).toBe(true)
      await page.getByRole("checkbox", { name: /^read / }).check()
      await page.getByRole("checkbox", { name: /^ingest / }).check()
      await page.getByLabel("Brands").selectOption({ label: "Northwind" })
      await page.getByLabel("Expires").fill("2999-01-01")
      await expectAccessible(page)
      await page.getByRole("button", { name: "Create token" }).click()
      const token = await page.getByText(/^lst_\w{38}$/).innerText()
      await page.getByRole("button", { name: "I have copied it" }).click()
      expect(await page.getByRole("row", { name: /Sales desk/ }).innerText()).toMatch(
        /read\s*ingest\s*Northwind/
      )
      expect(await axeFindings(page)).toEqual([])

      const desk = await server.open(`/brands/${brand}/leads?search=ada&lead=1`, { credential: token })
      await desk.page.getByRole("heading", { name: "Ada Example" }).waitFor()
      await desk.page.getByRole("button", { name: "Exported" }).click()
      await desk.page.getByText("Marked as exported").waitFor()
      for (const name of ["Erase …", "Send"])
        expect(await desk.page.getByRole("button", { name, exact: true }).count()).toBe(0)
      const pages = await desk.page
        .getByRole("navigation", { name: "Pages" })
        .getByRole("link")
        .allInnerTexts()
      expect(pages).toEqual([
        "Home",
        "Leads",
        "Live",
        "Campaigns",
        "Signals",
        "Import",
        "API Keys",
        "Simulator",
        "API"
      ])
      const options = desk.page.getByLabel("Brand", { exact: true }).locator("option")
      await expect.poll(() => options.allInnerTexts()).toEqual(["Northwind"])
      const at = (path: string) => desk.page.goto(`${server.url}/console/brands/${brand}${path}`)
      await at("/signals")
      await desk.page.getByRole("link", { name: "All rivals" }).waitFor()
      expect(await desk.page.getByRole("button", { name: /New signal|Rename|Delete/ }).count()).toBe(0)
      await at("/settings/webhooks/1")
      await desk.page.getByText("Webhooks needs another scope").waitFor()
      await at("")
      await desk.page.getByText("New leads").first().waitFor()
      expect(desk.wrong).toEqual([])

      await go(`/brands/${brand}/settings/audit`)
      const entry = page.getByRole("row", { name: /Sales desk.*Amend lead/ })
      await entry.waitFor()
      expect(await entry.innerText()).toMatch(/in a browser[^]*id 1[^]*Northwind[^]*200/)
      expect(await axeFindings(page)).toEqual([])
      await page.getByLabel("Since").fill("2999-01-01")
      await page.getByText("No entries").waitFor()
      await go(`/brands/${brand}/settings/operators`)
      await page.getByRole("button", { name: "Revoke the token Sales desk" }).click()
      await page.getByRole("button", { name: "Revoke for good" }).click()
      await note("Revoked the token Sales desk")
      await at("/leads")
      await desk.page.getByRole("button", { name: "Sign in" }).waitFor()
      await desk.context.close()
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
    expect([csv.length, csv[0]!.split(",").slice(0, 4)]).toEqual([3, ["id", "extId", "name", "headline"]])
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

  it.runIf(isThorough)("sums up a brand at home, and says what needs a hand", async () => {
    await go(`/brands/${brand}`)
    // Lines of an earlier import were rejected.
    await page.getByRole("link", { name: /rejected/ }).waitFor()
    expect(await page.getByText(/is disabled: /).count()).toBe(0)
    receiverStatus = 410
    const { data } = await server.operate("GET", `/operator/brands/${brand}/webhooks`)
    await server.operate("POST", `/operator/brands/${brand}/webhooks/${data[0].id}/test`)
    await expect
      .poll(async () => (await server.operate("GET", `/operator/brands/${brand}/webhooks`)).data[0].enabled)
      .toBe(false)
    await go(`/brands/${brand}`)
    await page
      .getByText(/is disabled: /)
      .first()
      .waitFor()
    await expectAccessible(page)
    receiverStatus = 200
  })

  it("says of a delivery that waits for an earlier event of its lead that it does [ORD-2]", async () => {
    const made = async (path: string, json: unknown): Promise<string> =>
      (await server.operate("POST", path, json)).data.id
    const other = await made("/operator/brands", { name: "Other" })
    const base = `/operator/brands/${other}`
    const source = { type: "post-url", value: "https://network.example/p/1" }
    const signalId = await made(`${base}/signals`, { name: "S", signalType: "post", source })
    // Nobody listens there.
    const id = await made(`${base}/webhooks`, {
      url: "http://127.0.0.1:1/",
      events: ["activity.detected"],
      ordering: "lead"
    })
    const person = { extId: "p", name: "P" }
    await server.operate("POST", `${base}/observations`, {
      observations: ["e-1", "e-2"].map((engagement) => ({ signalId, person, engagement: { id: engagement } }))
    })
    const { context, page } = await server.open(`/brands/${other}/settings/webhooks/${id}`)
    const waiting = page.getByRole("row").filter({ hasText: "after the one before" })
    await waiting.waitFor()
    expect(await waiting.count()).toBe(1)
    await waiting.getByRole("link", { name: /activity\.detected/ }).click()
    await page.getByText("Waits for an earlier event of its lead to end.").waitFor()
    await context.close()
    await server.operate("DELETE", base)
  })

  it("has no error on its console, and asks nothing of another origin", () => {
    expect(main.wrong).toEqual([])
  })

  it("keeps to 200 kB of compressed script on each page that opens first [SES-6]", async () => {
    for (const [path, shown] of [
      ["/leads", "[data-lead]"],
      ["", "canvas"]
    ] as const) {
      await go(`/brands/${brand}${path}`)
      await page.locator(shown).first().waitFor()
      const bytes = await page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .filter(({ name }) => name.endsWith(".js"))
          .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0)
      )
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThanOrEqual(200_000)
    }
  })

  it.runIf(isThorough)("says what is wrong while the API fails, and goes on after", async () => {
    const window = await server.open(`/brands/${brand}/leads`)
    await window.page.locator("[data-lead]").first().waitFor()
    await window.context.route("**/operator/**", (route) => route.abort())
    await window.page.goto(`${server.url}/console/brands/${brand}/leads?pageSize=50`)
    await window.page.getByText("The server can't be reached.").waitFor({ timeout: 60_000 })
    await window.context.unroute("**/operator/**")
    await window.page.getByRole("button", { name: "Try again" }).click()
    await window.page.locator("[data-lead]").first().waitFor()
    await window.context.close()
  })

  it.runIf(isThorough)(
    "works over plain http under a name, where a browser sends Origin alone [SES-5]",
    async () => {
      const window = await server.open("/", { credential: null })
      await window.page.goto(
        `http://console.test:${new URL(server.url).port}/console/brands/${brand}/settings/keys`
      )
      expect(await window.page.evaluate(() => isSecureContext)).toBe(false)
      await window.page.getByLabel("Operator token or API key").fill(operatorToken)
      await window.page.getByRole("button", { name: "Sign in" }).click()
      await window.page.getByRole("button", { name: "Create New Key" }).first().click()
      await window.page.getByLabel("Label").fill("by name")
      await window.page.getByRole("button", { name: "Create key" }).click()
      await window.page.getByRole("button", { name: "Copy" }).click()
      await window.page.getByText("Copied", { exact: true }).waitFor()
      expect(window.wrong.filter((text) => !text.startsWith("http://console.test:"))).toEqual([])
      await window.context.close()
    }
  )

  it.runIf(isThorough)("signs out in every window, and back in on the same page [SES-1]", async () => {
    const first = await server.open(`/brands/${brand}/leads?search=ada`)
    // What is still being read would end the session of this window, too, before its button is clicked.
    await first.page.locator("[data-lead]").first().waitFor()
    await first.page.waitForLoadState("networkidle")
    const second = await first.context.newPage()
    await second.goto(`${server.url}/console/brands/${brand}/leads?search=bo`)
    await second.getByRole("button", { name: "Sign out" }).click()
    await second.getByLabel("Operator token or API key").waitFor()
    await first.page.getByRole("button", { name: "Clear all" }).click()
    await first.page.getByText("Your session has ended.").waitFor()
    await first.page.getByLabel("Operator token or API key").fill(operatorToken)
    await first.page.getByRole("button", { name: "Sign in" }).click()
    await first.page.locator("[data-lead]").first().waitFor()
    await first.context.close()
  })
})

describe.skipIf(chromiumPath === undefined)("the link that the server prints", () => {
  endServersAfterTests()
  it("signs in once [SES-7]", async () => {
    const console = await startConsole({ LEAD_SIGNALS_OPERATOR_TOKEN: "", LEAD_SIGNALS_DATABASE: "memory" })
    const link = /^Console +(\S+#code=\S+)/m.exec(console.server.out())![1]!
    const path = link.slice(`${console.url}/console`.length)
    const first = await console.open(path, { credential: null })
    await first.page.getByText("Create your first brand").waitFor()
    expect(first.page.url()).not.toContain("code")
    expect(first.wrong).toEqual([])
    const second = await console.open(path, { credential: null })
    await second.page.getByText(/neither a valid operator token nor a valid API key/).waitFor()
  })
})
