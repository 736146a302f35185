/** What goes wrong around the console: the server, the network, other people, and what strangers call themselves. */
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { chromiumPath } from "../harness/Chromium.ts"
import { freePort } from "../harness/FreePort.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { endServersAfterTests, operatorToken, startServer } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { setUpConsoleBrand } from "./ConsoleBrand.ts"
import { axeFindings, closeConsolesAfterTests, type ConsoleServer, startConsole } from "./ConsoleBrowser.ts"

closeConsolesAfterTests()
endServersAfterTests()

const hostile = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`

const signIn = async (page: Page) => {
  await page.getByLabel("Operator token or API key").fill(operatorToken)
  await page.getByRole("button", { name: "Sign in" }).click()
}

describe.skipIf(chromiumPath === undefined)("the console", () => {
  let server: ConsoleServer
  let brand: string

  beforeAll(async () => {
    server = await startConsole()
    ;({ brand } = await setUpConsoleBrand(server, ["Ada Example", "Bo Example"]))
  })

  it.runIf(isThorough)(
    "keeps what each of two operators changes, and says when the other was faster",
    async () => {
      const created = await server.operate("POST", `/operator/brands/${brand}/webhooks`, {
        url: "https://example.com/hook",
        events: ["lead2.created"],
        description: "CRM"
      })
      const path = `/brands/${brand}/settings/webhooks/${created.data.id}`
      const [first, second] = [await server.open(path), await server.open(path)]
      for (const { page } of [first, second]) await page.getByRole("button", { name: "Edit" }).click()
      await first.page.getByLabel("Description").fill("To the CRM of sales")
      await first.page.getByRole("button", { name: "Save" }).click()
      await first.page.getByRole("heading", { name: "To the CRM of sales" }).waitFor()
      // The other form was opened before, and changes the URL alone.
      await second.page.getByLabel("URL").fill("https://example.com/other")
      await second.page.getByRole("button", { name: "Save" }).click()
      await second.page.getByRole("heading", { name: "To the CRM of sales" }).waitFor()
      const stored = await server.operate("GET", `/operator/brands/${brand}/webhooks/${created.data.id}`)
      expect(stored.data).toMatchObject({
        url: "https://example.com/other",
        description: "To the CRM of sales"
      })
      // One deletes what the other is about to change.
      await second.page.getByRole("button", { name: "Edit" }).click()
      await server.operate("DELETE", `/operator/brands/${brand}/webhooks/${created.data.id}`)
      await second.page.getByLabel("Description").fill("Too late")
      await second.page.getByRole("button", { name: "Save" }).click()
      await second.page
        .getByRole("alert")
        .getByText(/webhook/i)
        .waitFor()
      await Promise.all([first.context.close(), second.context.close()])
    }
  )

  it.runIf(isThorough)("shows in a second tab what the first has changed", async () => {
    const first = await server.open(`/brands/${brand}/leads?lead=1`)
    const page = await first.context.newPage()
    await page.goto(`${server.url}/console/brands/${brand}/leads?lead=1`)
    await page.getByRole("button", { name: "Qualified" }).click()
    await expect
      .poll(async () => (await server.operate("GET", `/operator/brands/${brand}/leads/1`)).data.qualified)
      .toBe(true)
    // Data is read again when somebody comes back to a tab; a headless browser has to be told.
    await first.page.waitForTimeout(5200)
    await first.page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")))
    await first.page.getByRole("button", { name: "Qualified", pressed: true }).waitFor()
    expect(first.wrong).toEqual([])
    await first.context.close()
  })

  it.runIf(isThorough)(
    "takes back what a change showed when the API fails, and shows a slow answer late",
    async () => {
      const window = await server.open(`/brands/${brand}/leads?lead=2`)
      const { page } = window
      await page.getByRole("heading", { name: "Bo Example" }).waitFor()
      await window.context.route("**/operator/brands/*/leads/2", (route) =>
        route.request().method() === "PATCH"
          ? route.fulfill({
              status: 503,
              contentType: "application/json",
              body: JSON.stringify({ error: { code: "unavailable", message: "The store is busy." } })
            })
          : route.continue()
      )
      await page.getByRole("button", { name: "Qualified" }).click()
      await page.getByText("The store is busy.").waitFor()
      await page.getByRole("button", { name: "Qualified", pressed: false }).waitFor()
      // Where nothing answers, the lead can't be read again either.
      await window.context.route("**/operator/brands/*/leads/2", (route) => route.abort())
      await page.getByRole("button", { name: "Employee" }).click()
      await page.getByText("The server can't be reached.").first().waitFor()
      await page.getByRole("button", { name: "Employee", pressed: false }).waitFor()
      // The answer to the first word comes after that to the second.
      await window.context.route(/search=Ada&/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1500))
        await route.continue().catch(() => undefined)
      })
      await page.goto(`${server.url}/console/brands/${brand}/leads`)
      await page.getByLabel("Search names and headlines").fill("Ada")
      await page.waitForTimeout(600)
      await page.getByLabel("Search names and headlines").fill("Bo E")
      await page.getByRole("link", { name: "Bo Example" }).waitFor()
      await page.waitForTimeout(1800)
      expect(await page.getByRole("link", { name: "Ada Example" }).count()).toBe(0)
      await window.context.close()
    }
  )

  it.runIf(isThorough)(
    "asks to sign in when the session has expired, and goes on where one was",
    async () => {
      const { context, page } = await server.open(`/brands/${brand}/leads?search=ada`)
      await page.getByRole("link", { name: "Ada Example" }).waitFor()
      // A browser drops the cookie when its time is over.
      await context.clearCookies()
      await page.getByRole("link", { name: "Ada Example" }).click()
      await page.getByText("Your session has ended.").waitFor()
      await signIn(page)
      await page.getByRole("heading", { name: "Ada Example" }).waitFor()
      expect(page.url()).toContain("search=ada")
      await context.close()
    }
  )

  it.runIf(isThorough)("shows hostile names as text on every page", async () => {
    const own = (await server.operate("POST", "/operator/brands", { name: hostile })).data.id
    const { data: signal } = await server.operate("POST", `/operator/brands/${own}/signals`, {
      name: hostile,
      signalType: hostile.slice(0, 60),
      source: { type: "posts-with-keywords", value: hostile }
    })
    await server.operate("POST", `/operator/brands/${own}/keys`, { label: hostile })
    const hook = await server.operate("POST", `/operator/brands/${own}/webhooks`, {
      url: "https://example.com/hook",
      events: ["lead2.created"],
      description: hostile,
      enabled: false
    })
    await server.operate("POST", `/operator/brands/${own}/observations`, {
      observations: [
        {
          signalId: signal.id,
          person: { extId: hostile, name: `\u202e${hostile}`, headline: hostile },
          engagement: { id: "e", type: "comment", commentText: hostile, postUrl: "javascript:alert(1)" }
        }
      ]
    })
    const { data: leads } = await server.operate("GET", `/operator/brands/${own}/leads`)
    const window = await server.open(`/brands/${own}`)
    for (const path of [
      "",
      "/leads",
      `/leads?lead=${leads[0].id}`,
      "/signals",
      "/import",
      "/settings/keys",
      "/settings/webhooks",
      `/settings/webhooks/${hook.data.id}`,
      `/simulator?scenario=${encodeURIComponent(hostile)}&bug=${encodeURIComponent(hostile)}`
    ]) {
      await window.page.goto(`${server.url}/console/brands/${own}${path}`)
      await window.page.getByRole("heading", { level: 1 }).first().waitFor()
      await window.page.waitForLoadState("networkidle")
      expect([path, await window.page.title()]).not.toEqual([path, "hacked"])
      expect([path, await window.page.locator("img, [onerror]").count()]).toEqual([path, 0])
    }
    expect(window.wrong).toEqual([])
    await window.context.close()
  })
})

describe.skipIf(chromiumPath === undefined || !isThorough)(
  "the console of a server that is restarted",
  () => {
    it("says that nothing answers, then asks to sign in, and is back on its page [SES-1]", async () => {
      const environment = { PORT: String(await freePort()) }
      const server = await startConsole(environment)
      const { brand } = await setUpConsoleBrand(server, ["Ada Example"])
      const { page } = await server.open(`/brands/${brand}/leads?search=ada`)
      await page.getByRole("link", { name: "Ada Example" }).waitFor()
      await server.server.end("SIGTERM")
      await page.getByLabel("Search names and headlines").fill("ada e")
      await page.getByRole("button", { name: "Try again" }).first().waitFor()
      await page.getByText("The server can't be reached.").waitFor()
      const again = await startServer(
        {
          ...environment,
          LEAD_SIGNALS_DATABASE: join(server.folder, "leads.sqlite"),
          LEAD_SIGNALS_DEMO: "false",
          LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
        },
        bundledServer
      )
      expect(again.url).toBe(server.url)
      await page.getByRole("button", { name: "Try again" }).first().click()
      await page.getByText("Your session has ended.").waitFor()
      await signIn(page)
      await page.getByRole("link", { name: "Ada Example" }).waitFor()
      expect(page.url()).toContain("search=ada+e")
      await again.end("SIGTERM")
    })
  }
)

describe.skipIf(chromiumPath === undefined || isWithoutPostgres || !isThorough)(
  "the console on Postgres",
  () => {
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(204).end())
    })
    afterAll(() => void receiver.close())

    it("finds, changes, exports and erases leads, and delivers", async () => {
      receiver.listen(0, "127.0.0.1")
      await once(receiver, "listening")
      const server = await startConsole({ LEAD_SIGNALS_DATABASE: await newDatabase() })
      const { brand } = await setUpConsoleBrand(server, ["Ada Example", "Bo Example", "Cy Example"])
      const window = await server.open(`/brands/${brand}/leads`)
      const { page } = window
      await page.getByText("1–3 of 3").waitFor()
      await page.getByLabel("Search names and headlines").fill("bo")
      await page.getByText("1–1 of 1").waitFor()
      await page.getByRole("link", { name: "Bo Example" }).click()
      await page.getByRole("button", { name: "Qualified" }).click()
      await page.getByText("Marked as qualified").waitFor()
      await page.goto(`${server.url}/console/brands/${brand}/settings/webhooks`)
      await page.getByRole("button", { name: "New webhook" }).first().click()
      await page.getByLabel("URL").fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
      await page.getByLabel("Description").fill("To the CRM")
      await page.getByRole("button", { name: "Create webhook" }).click()
      await page.getByRole("button", { name: "I have copied it" }).click()
      await page.getByRole("link", { name: /To the CRM/ }).click()
      await page.getByRole("button", { name: "Send a test" }).click()
      await page.getByText("Status 204").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("region", { name: "Outcomes" }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.goto(`${server.url}/console/brands/${brand}/leads?lead=2`)
      await page.getByRole("button", { name: "Erase …" }).click()
      await page.getByLabel(/Type the lead's id/).fill("2")
      await page.getByRole("button", { name: "Erase for good" }).click()
      await page.getByText("The person is erased").waitFor()
      await page.getByText("1–2 of 2").waitFor()
      expect(window.wrong).toEqual([])
      await window.context.close()
    })
  }
)
