/** Windows of the console: what they load and how they fit, and sessions that begin and end in them. */
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { endServersAfterTests, operatorToken } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { setUpConsoleBrand } from "./ConsoleBrand.ts"
import { closeConsolesAfterTests, type ConsoleServer, startConsole } from "./ConsoleBrowser.ts"

closeConsolesAfterTests()

describe.skipIf(chromiumPath === undefined)("a window of the console", () => {
  let server: ConsoleServer
  let brand: string

  endServersAfterTests()
  beforeAll(async () => {
    server = await startConsole()
    ;({ brand } = await setUpConsoleBrand(server, ["Ada Example", "Bo Example"]))
  })

  it.runIf(isThorough)(
    "keeps to 200 kB of compressed script on each page that opens first [SES-6]",
    async () => {
      const { context, page } = await server.open("/")
      for (const [path, rendered] of [
        ["/leads", "[data-lead]"],
        ["", "canvas"]
      ] as const) {
        await page.goto(`${server.url}/console/brands/${brand}${path}`)
        await page.locator(rendered).first().waitFor()
        const bytes = await page.evaluate(() =>
          performance
            .getEntriesByType("resource")
            .filter(({ name }) => name.endsWith(".js"))
            .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0)
        )
        expect(bytes).toBeGreaterThan(50_000)
        expect(bytes).toBeLessThanOrEqual(200_000)
      }
      await context.close()
    }
  )

  it.runIf(isThorough)("says what is wrong while the API fails, and goes on after", async () => {
    const window = await server.open(`/brands/${brand}/leads`)
    await window.page.locator("[data-lead]").first().waitFor()
    await window.context.route("**/operator/**", (route) => route.abort())
    await window.page.goto(`${server.url}/console/brands/${brand}/leads?pageSize=50`)
    // It tries again by itself before it leaves that to its reader.
    await window.page.getByRole("button", { name: "Try again" }).waitFor()
    await window.page.getByText("The server can't be reached.").waitFor()
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
    await first.page.locator("[data-lead]").first().waitFor()
    const second = await first.context.newPage()
    await second.goto(`${server.url}/console/brands/${brand}/leads?search=bo`)
    await second.getByRole("button", { name: "Sign out" }).click()
    await second.getByLabel("Operator token or API key").waitFor()
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
