/** The reference of the API in the console: everything that the document says, without a session. */
import { openApi } from "@lead-signals/http"
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { callJson } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  axeFindings,
  closeConsolesAfterTests,
  type ConsoleServer,
  goBySequence,
  startConsole
} from "./ConsoleBrowser.ts"

closeConsolesAfterTests()

// The document is looked into freely here.
const document = JSON.parse(JSON.stringify(openApi())) as any
const operations = [...Object.values<any>(document.paths), ...Object.values<any>(document.webhooks)].flatMap(
  (item) => Object.values<any>(item)
)
const idOf = ({ operationId }: any): string => operationId.split(".").at(-1)

describe.skipIf(chromiumPath === undefined || !isThorough)("the reference of the API", () => {
  let server: ConsoleServer
  beforeAll(async () => {
    server = await startConsole()
  })

  it("is where /docs leads a browser, without a session, and finds every operation [DOC-1]", async () => {
    const { context, page, wrong } = await server.open("/api", { credential: null })
    await page.goto(`${server.url}/docs`)
    await page.getByRole("heading", { name: /Lead Signals API/ }).waitFor()
    expect(page.url()).toBe(`${server.url}/console/api`)
    const links = page.getByRole("navigation", { name: "Operations" }).getByRole("link")
    expect(await links.count()).toBe(operations.length)
    await page.keyboard.press("/")
    await page.keyboard.type("deliveries resend")
    await expect.poll(() => links.count()).toBe(1)
    await links.first().click()
    await page.getByRole("heading", { name: "Send the same event again, as a new delivery" }).waitFor()
    expect(new URL(page.url()).search).toBe("?operation=resendDelivery")
    expect(await axeFindings(page)).toEqual([])
    expect(wrong).toEqual([])
    await context.close()
  })

  it("shows parameters, fields, errors and a command that runs [DOC-2]", async () => {
    const { context, page } = await server.open("/api?operation=listLeads", { credential: null })
    const parameters = await page.getByLabel("Parameters", { exact: true }).last().innerText()
    for (const { name } of document.paths["/signals/leads"].get.parameters) expect(parameters).toContain(name)
    const errors = await page.getByRole("table").innerText()
    for (const code of ["invalid_parameter", "invalid_api_key", "rate_limit_exceeded"])
      expect(errors).toContain(code)
    await page.getByText(/^\d+ fields$/).click()
    await page.getByText("data[].engagements[].postAuthorDetail.name", { exact: true }).waitFor()
    await page.goto(`${server.url}/console/api?operation=createBrand`)
    const command = await page.getByLabel("As curl").innerText()
    const [, body, url] = /-d '(.*)' \\\n {2}'(.*)'$/.exec(command)!
    expect(command).toContain("$LEAD_SIGNALS_OPERATOR_TOKEN")
    const answer = await callJson(url!, "operator-token-of-the-tests", "POST", JSON.parse(body!))
    expect(answer.status).toBe(201)
    // In the frame of a brand, too.
    const signedIn = await server.open(`/brands/${answer.body.data.id}`)
    await signedIn.page.getByRole("heading", { name: "Set up this brand" }).waitFor()
    await goBySequence(signedIn.page, "g", "a")
    await signedIn.page.getByTitle("GET /signals/leads", { exact: true }).click()
    await signedIn.page.getByRole("heading", { name: "List the brand's leads" }).waitFor()
    expect(signedIn.page.url()).toContain(`/brands/${answer.body.data.id}/api?operation=listLeads`)
    expect(signedIn.wrong).toEqual([])
    await Promise.all([context.close(), signedIn.context.close()])
  })

  it("has a page for each operation, on a phone, too", async () => {
    const { context, page, wrong } = await server.open("/api", {
      credential: null,
      width: 390,
      height: 800,
      colorScheme: "dark"
    })
    for (const operation of operations) {
      await page.goto(`${server.url}/console/api?operation=${idOf(operation)}`)
      await page.getByRole("heading", { level: 1, name: operation.summary }).waitFor()
      const width = await page.evaluate(() => globalThis.document.documentElement.scrollWidth)
      expect([idOf(operation), width]).toEqual([idOf(operation), 390])
    }
    expect(await axeFindings(page)).toEqual([])
    expect(wrong).toEqual([])
    await context.close()
  })
})
