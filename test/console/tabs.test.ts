/** What changes around an open page of the console: the session in another tab, webhooks, days, a key's rate window. */
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { endServersAfterTests, operatorToken } from "../harness/ServerProcess.ts"
import { setUpConsoleBrand } from "./ConsoleBrand.ts"
import { closeConsolesAfterTests, type ConsoleServer, startConsole } from "./ConsoleBrowser.ts"

closeConsolesAfterTests()
endServersAfterTests()

const credentialField = "Operator token or API key"

describe.skipIf(chromiumPath === undefined)("a page of the console that stays open", () => {
  let server: ConsoleServer
  let brand: string

  const brandWith = async (name: string) => {
    const { brand } = await setUpConsoleBrand(server, [name])
    const { data } = await server.operate("POST", `/operator/brands/${brand}/keys`, { label: "reader" })
    return { brand, key: data.key as string }
  }
  const webhookOf = async (description: string, enabled = false): Promise<string> => {
    const { data } = await server.operate("POST", `/operator/brands/${brand}/webhooks`, {
      url: `http://127.0.0.1:9/${description}`,
      events: ["lead2.created"],
      description,
      enabled
    })
    return data.id
  }

  beforeAll(async () => {
    server = await startConsole()
    ;({ brand } = await setUpConsoleBrand(server, ["Ada Example", "Bo Example"]))
  })

  it("shows no leads of the brand whose key another tab signs in with under the name of its own [SES-1]", async () => {
    const [alpha, beta] = [await brandWith("Alpha Person"), await brandWith("Beta Person")]
    const { context, page, wrong } = await server.open(`/brands/${alpha.brand}/leads`, {
      credential: alpha.key
    })
    await page.getByText("Alpha Person").first().waitFor()
    const other = await context.newPage()
    await other.goto(`${server.url}/console/brands/${alpha.brand}/leads`)
    await other.getByRole("button", { name: "Sign out" }).click()
    // The page of the first tab ends with its session.
    await page.getByText("Your session has ended.").waitFor()
    await other.getByLabel(credentialField).fill(beta.key)
    await other.getByRole("button", { name: "Sign in" }).click()
    for (const tab of [other, page]) {
      await tab.getByText("Beta Person").first().waitFor()
      expect(new URL(tab.url()).pathname).toBe(`/console/brands/${beta.brand}/leads`)
      expect(await tab.getByText("Alpha Person").count()).toBe(0)
    }
    // A read that was under way as the session ended is refused, and the browser says so.
    expect(wrong.filter((text) => !text.includes("status of 401"))).toEqual([])
    await context.close()
  })

  it("keeps a new secret open when its session ends in another tab, and after the next sign-in [SES-9]", async () => {
    const id = await webhookOf("rotated")
    const { context, page } = await server.open(`/brands/${brand}/settings/webhooks/${id}`)
    await page.getByRole("button", { name: "More" }).click()
    await page.getByRole("menuitem", { name: /Rotate/ }).click()
    await page.getByRole("button", { name: "Make a new secret" }).click()
    const secret = page.getByText(/whsec_/)
    await secret.waitFor()
    const value = await secret.textContent()
    const other = await context.newPage()
    await other.goto(`${server.url}/console/brands/${brand}`)
    await other.getByRole("button", { name: "Sign out" }).click()
    await page.getByText("Your session has ended.").waitFor()
    expect(await secret.textContent()).toBe(value)
    await other.getByLabel(credentialField).fill(operatorToken)
    await other.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("Your session has ended.").waitFor({ state: "hidden" })
    expect(await secret.textContent()).toBe(value)
    await page.getByRole("button", { name: "I have copied it" }).click()
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await page.getByRole("heading", { name: "rotated" }).waitFor()
    await context.close()
  })

  it("sends an event again to the webhook that was chosen, and to none that took its place", async () => {
    const ids = [await webhookOf("first"), await webhookOf("second"), await webhookOf("third")]
    const { context, page } = await server.open(`/brands/${brand}/leads?lead=1`)
    await page.clock.install()
    const select = page.locator("#resend")
    const chosen = () => select.evaluate((each) => (each as HTMLSelectElement).selectedOptions[0]!.text)
    await select.selectOption({ label: "lead2.created → second (disabled)" })
    const remove = async (id: string) => {
      const before = await select.locator("option").count()
      await server.operate("DELETE", `/operator/brands/${brand}/webhooks/${id}`)
      await expect
        .poll(
          async () => {
            await page.clock.runFor(31_000)
            return select.locator("option").count()
          },
          { timeout: 60_000 }
        )
        .toBe(before - 1)
    }
    await remove(ids[0]!)
    expect(await chosen()).toBe("lead2.created → second (disabled)")
    await remove(ids[1]!)
    expect(await chosen()).toBe("Choose event and webhook")
    expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true)
    await context.close()
  })

  it("says that it waits where a key's rate window is used up, above leads of the search before [RATE-3]", async () => {
    const { brand, key } = await brandWith("Cy Example")
    const { context, page } = await server.open(`/brands/${brand}/leads`, { credential: key })
    await page.getByRole("link", { name: "Cy Example" }).waitFor()
    await context.route(/search=nobody/, (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "55" },
        contentType: "application/json",
        body: JSON.stringify({ error: { code: "rate_limited", message: "Try again in 55 s." } })
      })
    )
    await page.getByLabel("Search names and headlines").fill("nobody")
    await page.getByText("Try again in 55 s. The page tries again by itself.").waitFor()
    await page.getByLabel("Search names and headlines").fill("Cy")
    await page.getByText("The page tries again by itself.").waitFor({ state: "hidden" })
    await context.close()
  })

  it("reads windows that end now and days up to today anew when somebody comes back to it", async () => {
    await server.operate("POST", `/operator/brands/${brand}/campaigns`, { name: "Launch" })
    const { context, page } = await server.open(`/brands/${brand}/leads`)
    await page.clock.install()
    const startsOf = async (path: string, parameter: string): Promise<ReadonlyArray<number>> => {
      const found: Array<number> = []
      const note = (request: { readonly url: () => string }) => {
        const value = new URL(request.url()).searchParams.get(parameter)
        if (value !== null) found.push(Date.parse(value))
      }
      page.on("request", note)
      await page.goto(`${server.url}/console/brands/${brand}/${path}`)
      await expect.poll(() => found.length, { timeout: 60_000 }).toBeGreaterThan(0)
      await page.clock.fastForward(36 * 3_600_000)
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
      await expect.poll(() => new Set(found).size, { timeout: 60_000 }).toBeGreaterThan(1)
      page.off("request", note)
      return found
    }
    for (const [path, parameter] of [
      ["leads?created=1d", "createdAfter"],
      ["campaigns?days=30", "endDate"]
    ] as const) {
      const starts = await startsOf(path, parameter)
      expect(starts.at(-1)! - starts[0]!).toBeGreaterThanOrEqual(24 * 3_600_000)
    }
    await context.close()
  })

  it("says that a page of deliveries is past the end while there are others", async () => {
    const id = await webhookOf("few", true)
    await server.operate("POST", `/operator/brands/${brand}/webhooks/${id}/test`)
    const { context, page } = await server.open(`/brands/${brand}/settings/webhooks/${id}?page=2`)
    await page.getByText("This page is past the end").waitFor()
    await page.getByRole("button", { name: "First page" }).click()
    await page.getByRole("table", { name: "Deliveries" }).waitFor()
    await context.close()
  })

  it("takes the day of the audit log as the reader's, as it prints the times", async () => {
    const { context } = await server.open("/")
    await context.close()
    const eastern = await server.browser.newContext({ timezoneId: "Pacific/Kiritimati" })
    await eastern.request.post(`${server.url}/session`, { data: { credential: operatorToken } })
    const page = await eastern.newPage()
    const sinces: Array<string | null> = []
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === "/operator/audit") sinces.push(searchParams.get("since"))
    })
    await page.goto(`${server.url}/console/brands/${brand}/settings/audit?since=2026-01-05`)
    await page.getByRole("table", { name: "Audit log" }).waitFor()
    // UTC+14
    expect(sinces[0]).toBe("2026-01-04T10:00:00.000Z")
    await eastern.close()
  })

  it("says that the session has ended where an import meets its end, and keeps the rejected lines [SES-10]", async () => {
    const { context, page } = await server.open(`/brands/${brand}/import`)
    let batches = 0
    await context.route("**/observations?*", async (route) => {
      batches += 1
      if (batches === 1) await route.continue()
      else
        await route.fulfill({
          status: 401,
          contentType: "application/json",
          body: JSON.stringify({ error: { code: "unauthorized", message: "A token is needed." } })
        })
    })
    const lines = Array.from({ length: 300 }, (_, i) =>
      i === 5
        ? "broken"
        : `{"signalId":"1","person":{"extId":"i-${i}","name":"N"},"engagement":{"id":"i-${i}"}}`
    )
    await page.setInputFiles("#file", {
      name: "people.jsonl",
      mimeType: "application/jsonl",
      buffer: Buffer.from(lines.join("\n"))
    })
    await page.getByRole("button", { name: "Import", exact: true }).click()
    await page.getByText(/Your session has ended. Sign in again in another tab/).waitFor()
    await page.getByText("This line is not JSON.").waitFor()
    await context.close()
  })

  it("reads no file that is not UTF-8, and says how to save it [SES-10]", async () => {
    const { context, page } = await server.open(`/brands/${brand}/import`)
    await page.setInputFiles("#file", {
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("Signal,External id,Name,Engagement id\n1,p-9,Jürgen Müller,e-9\n", "latin1")
    })
    await page.getByText(/This file is not in UTF-8/).waitFor()
    await page.getByText("Drop a file here, or choose one").waitFor()
    await context.close()
  })
})

describe.skipIf(chromiumPath === undefined)("the link that the server prints", () => {
  it("signs an operator in where the browser has a key's session [SES-7]", async () => {
    const server = await startConsole({
      LEAD_SIGNALS_OPERATOR_TOKEN: "",
      LEAD_SIGNALS_DATABASE: "memory",
      LEAD_SIGNALS_DEMO: "true"
    })
    const out = server.server.out()
    const key = /lsk_\w+/.exec(out)![0]
    const path = /^Console +(\S+#code=\S+)/m.exec(out)![1]!.slice(`${server.url}/console`.length)
    const { context, page } = await server.open(path, { credential: key })
    await page.getByText("Operator", { exact: true }).waitFor()
    await context.close()
  })
})
