/** What people do now and then besides reading leads: each as a person does it, on a real server, in a real browser. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Route } from "playwright-core"
import { expect, it } from "vitest"
import { callJson } from "../harness/ServerProcess.ts"
import { axeFindings, expectAccessible, goBySequence } from "./ConsoleBrowser.ts"
import { describePerson, gate } from "./ConsolePerson.ts"

describePerson("a person who looks after a brand", (person) => {
  it("drops a file on the page, stops, mends what was rejected, and saves it", async () => {
    const { button, go, observation, operate, page, saved, server, window } = person()
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
    await window.context.route("**/observations*", delay)
    await drop()
    await page.getByText(/^JSONL, /).waitFor()
    await button("Import").click()
    await first.opened
    await page.getByRole("status").getByText("Importing").waitFor()
    await page.getByRole("heading", { name: "2 rejected" }).waitFor()
    await button("Stop").click()
    second.open()
    await page.getByRole("status").getByText("Stopped").waitFor()
    await window.context.unroute("**/observations*", delay)
    expect(sent).toBe(2)

    // What was mended stays while the API refuses the batch.
    const cell = (line: number) => page.getByRole("textbox", { name: `Observation of line ${line}` })
    await cell(1).fill((await cell(1).inputValue()).replace("wave", "comment"))
    await window.context.route("**/observations*", (route) =>
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
    await window.context.unroute("**/observations*")
    await button("Send again").click()
    await page.getByRole("heading", { name: "1 rejected" }).waitFor()
    await cell(2).fill(lines[2]!)
    await button("Send again").click()
    await page.getByRole("status").getByText("Done").waitFor()
    expect((await operate("GET", "/leads?search=Person+1000")).data.length).toBe(1)
  })

  it("is asked before an import is left, which then stops, and has it go on past a proxy's failure [SES-10]", async () => {
    const { brand, button, go, observation, page, server, window } = person()
    const file = join(server.folder, "left.jsonl")
    const lines = Array.from({ length: 900 }, (_, i) => JSON.stringify(observation(5000 + i)))
    writeFileSync(file, lines.join("\n"))
    const leave = () => goBySequence(page, "g", "l")
    const begin = async (): Promise<{ readonly sent: () => number; readonly goOn: () => void }> => {
      const [reached, held] = [gate(), gate()]
      let sent = 0
      await window.context.unroute("**/observations*")
      await window.context.route("**/observations*", async (route) => {
        sent += 1
        if (sent === 1)
          return route.fulfill({ status: 502, headers: { "retry-after": "1" }, body: "a proxy" })
        if (sent === 2) {
          reached.open()
          await held.opened
        }
        await route.continue()
      })
      await go("/import")
      await page.locator("#file").setInputFiles(file)
      await button("Import").click()
      await reached.opened
      return { sent: () => sent, goOn: held.open }
    }
    const question = page.getByRole("dialog", { name: "The import is still running" })

    // It stays, and the end of the import takes the question back.
    const staying = await begin()
    await leave()
    await question.waitFor()
    await expectAccessible(page)
    await button("Stay").click()
    await question.waitFor({ state: "detached" })
    await leave()
    await question.waitFor()
    staying.goOn()
    await page.getByRole("status").getByText("Done").waitFor()
    await question.waitFor({ state: "detached" })
    expect(await page.getByText("Recorded").locator("xpath=following-sibling::dd").innerText()).toBe("900")
    expect(staying.sent()).toBeGreaterThan(5)
    await button("Another file").click()

    const left = await begin()
    await leave()
    await button("Stop and leave").click()
    await page.locator("[data-lead]").first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/brands/${brand}/leads`)
    const answer = page.waitForResponse("**/observations*")
    left.goOn()
    await (await answer).finished()
    // The page is as good as idle now: another batch would be sent at once.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    expect(left.sent()).toBe(2)
    await window.context.unroute("**/observations*")
  })

  it("rotates a webhook's secret, disables and enables the webhook, and deletes it", async () => {
    const { button, choose, go, note, observation, operate, page, webhookOf } = person()
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
    const { button, choose, go, note, observation, operate, page, receiver, webhookOf } = person()
    const id = await webhookOf("To the archive")
    receiver.status = 500
    await operate("POST", "/observations", { observations: [901, 902, 903].map((n) => observation(n)) })
    const dead = async () =>
      (await operate("GET", `/webhooks/${id}/deliveries?state=dead`)).meta.pagination.total
    await expect.poll(dead).toBe(3)
    await go("")
    await page.getByRole("link", { name: "To the archive has 3 dead deliveries" }).click()
    await page.waitForURL(/state=dead/)
    const problem = page.getByText(/^Every attempt since .*:\d\d:\d\d.* has failed/)
    await problem.waitFor()
    receiver.status = 200
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
    const { go, operate, page, server } = person()
    const { key } = (await operate("POST", "/keys", { label: "collector" })).data
    for (let i = 0; i < 3; i++) await callJson(`${server.url}/signals/leads`, key, "GET")
    await go("")
    await page.getByRole("link", { name: /collector.*limit/ }).click()
    await page.getByRole("heading", { name: "API Keys" }).waitFor()
  })

  it("hides the list of what to do next, and has it back", async () => {
    const { button, go, page } = person()
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

  it("had no error on the console, and nothing was asked of another origin", () => {
    expect(person().window.wrong.filter((text) => !/status of (403|502)/.test(text))).toEqual([])
  })

  it("reads what is wrong with a page that can't be drawn, and goes on elsewhere", async () => {
    const { brand, server } = person()
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
