/**
 * Settings in the console: webhooks, keys and tokens, and what home says of them.
 *
 * @slow each step is a page in a browser
 */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { chromiumPath } from "../harness/Chromium.ts"
import { endServersAfterTests } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { setUpConsoleBrand } from "./ConsoleBrand.ts"
import {
  axeFindings,
  closeConsolesAfterTests,
  type ConsoleServer,
  type ConsoleWindow,
  expectAccessible,
  startConsole
} from "./ConsoleBrowser.ts"

closeConsolesAfterTests()

describe.skipIf(chromiumPath === undefined || !isThorough)("the console's settings", () => {
  let server: ConsoleServer
  let brand: string
  let main: ConsoleWindow
  let page: Page

  const received: Array<string> = []
  let receiverStatus = 200
  const receiver = createServer((request, response) => {
    received.push(request.url!)
    request.resume().on("end", () => response.writeHead(receiverStatus).end("as you wish"))
  })

  const go = (path: string) => page.goto(`${server.url}/console${path}`)
  const note = (text: string | RegExp) =>
    page.getByRole("status", { name: "Notes" }).getByText(text).waitFor()

  endServersAfterTests()
  beforeAll(async () => {
    receiver.listen(0, "127.0.0.1")
    await once(receiver, "listening")
    server = await startConsole()
    const made = await setUpConsoleBrand(server, ["Ada Example", "Bo Example"])
    brand = made.brand
    const rejected = {
      signalId: made.signal,
      person: { extId: "p-9", name: "P" },
      engagement: { id: "e-9", type: "none" }
    }
    await server.operate("POST", `/operator/brands/${brand}/observations`, { observations: [rejected] })
    main = await server.open("/")
    page = main.page
  })
  afterAll(() => void receiver.close())

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

  it("chooses how a webhook sends: its order, format and batches [ORD-1, ORD-4, FMT-3, BATCH-1]", async () => {
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
  })

  it("creates a key that signs in to read its brand alone, and revokes it [SES-3, SES-4, SES-9]", async () => {
    await go(`/brands/${brand}/signals`)
    await page.getByRole("link", { name: "API Keys" }).click()
    await page.getByRole("button", { name: "Create New Key" }).first().click()
    await page.getByLabel("Label").fill("sales")
    await page.getByRole("button", { name: "Create key" }).click()
    const key = await page.getByText(/^lsk_\w{38}$/).innerText()
    await page.getByRole("button", { name: "Copy" }).click()
    await page.getByText("Copied", { exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    // Only the button closes it: what is shown once must not be lost by accident.
    expect(await page.getByRole("button", { name: "Close", exact: true }).count()).toBe(0)
    await page.keyboard.press("Escape")
    await page.mouse.click(5, 5)
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener("popstate", () => setTimeout(resolve), { once: true })
          history.back()
        })
    )
    const prompt = page.waitForEvent("dialog")
    await page.evaluate(() => void setTimeout(() => location.reload()))
    expect((await prompt).type()).toBe("beforeunload")
    await (await prompt).dismiss()
    await page.getByText(key).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/settings\/keys$/)
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
  })

  it("gives a colleague a token, offers what its scopes let pass, and logs what they did [OPER-10, OPER-11, OPER-12, AUD-4]", async () => {
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
    const pages = await desk.page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts()
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
    await desk.page.getByRole("link", { name: "Rivals" }).waitFor()
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
  })

  it("sums up a brand at home, and says what needs a hand", async () => {
    await go(`/brands/${brand}`)
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
})
