/** The simulator's page: the whole service in a worker of a real browser, under the policy of the pages. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import {
  inputOfCounterexample,
  readCounterexample,
  run,
  Scenario,
  scenarioNamed,
  simulate
} from "@lead-signals/simulations"
import { Either, Schema } from "effect"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  axeFindings,
  closeConsolesAfterTests,
  type ConsoleServer,
  type ConsoleWindow,
  startConsole
} from "./ConsoleBrowser.ts"

closeConsolesAfterTests()

describe.skipIf(chromiumPath === undefined || !isThorough)("the simulator in the console", () => {
  let server: ConsoleServer
  let main: ConsoleWindow
  let page: Page
  let brand: string

  const go = async (query: string) => {
    await page.goto(`${server.url}/console/brands/${brand}/simulator${query}`)
    await page.getByLabel("Scenario").waitFor()
  }
  const start = () => page.getByRole("button", { name: /^Run/ }).click()
  const digest = () => page.locator("[data-digest]").innerText()
  const events = async () =>
    Number((await page.getByRole("heading", { name: /events?$/ }).innerText()).replace(/\D/g, ""))
  const openFile = (name: string, text: string) =>
    page.setInputFiles("input[type=file]", {
      name,
      mimeType: "application/json",
      buffer: Buffer.from(text)
    })

  beforeAll(async () => {
    server = await startConsole()
    brand = (await server.operate("POST", "/operator/brands", { name: "Northwind" })).data.id
    main = await server.open("/")
    page = main.page
  })

  it("runs a seed to the digest that it has in Node, and shows what happened", async () => {
    await page.getByRole("link", { name: "Simulator" }).click()
    await page.getByLabel("Scenario").selectOption("swarm")
    await page.getByLabel("Seed").fill("7")
    await page.getByLabel("Hours").fill("0.2")
    await start()
    await page.getByText("Every rule held").waitFor()
    const inNode = simulate(scenarioNamed("swarm")!, 7, { hours: 0.2 })
    expect(await digest()).toBe(inNode.digest)
    expect(await events()).toBe(inNode.trace.length)
    // The lanes are those of the parties, and the marks those that the run met.
    expect(await page.locator("[aria-label=Lanes] li").count()).toBe(
      new Set(inNode.trace.map(({ party }) => party)).size
    )
    const lit = await page.locator("[data-lit=true]").allInnerTexts()
    expect(lit.map((text) => text.replace(/\s*\(met\)/, "")).sort()).toEqual([...inNode.coverageMarks].sort())
    expect(await page.getByRole("list", { name: "What happened" }).getByRole("listitem").count()).toBe(120)
    expect(await axeFindings(page)).toEqual([])
    // A link repeats the run.
    expect(new URL(page.url()).search).toBe("?scenario=swarm&seed=7&hours=0.2")
  })

  it("pauses, steps on and back, and plays as fast as it is asked to", async () => {
    const place = page.getByRole("slider", { name: "Place in the run" })
    const clock = () => page.locator("[data-clock]").innerText()
    const all = await events()
    await place.fill("10")
    const [rendered, at] = [await events(), await clock()]
    expect(rendered).toBeGreaterThanOrEqual(10)
    expect(rendered).toBeLessThan(all)
    await page.getByRole("heading", { name: "Simulator" }).click()
    await page.keyboard.press(".")
    expect(await events()).toBeGreaterThan(rendered)
    await page.keyboard.press(",")
    expect([await events(), await clock()]).toEqual([rendered, at])
    await page.getByLabel("Speed").selectOption("64 ×")
    await page.getByRole("heading", { name: "Simulator" }).click()
    await page.keyboard.press(" ")
    await page.getByRole("button", { name: "Pause" }).waitFor()
    await expect.poll(events).toBeGreaterThan(rendered)
    await page.keyboard.press(" ")
    await page.getByRole("button", { name: "Play" }).waitFor()
    const paused = await events()
    await page.getByLabel("Show events with this text").fill("POST /operator/brands")
    const [first] = await page
      .getByRole("list", { name: "What happened" })
      .getByRole("listitem")
      .allInnerTexts()
    expect(first).toContain("POST /operator/brands")
    expect(await events()).toBe(paused)
  })

  it("makes a broken rule's counterexample small, replays it, and saves the file that Node replays", async () => {
    await go("?bug=lost-update&seed=1")
    await start()
    await page.getByText("A rule broke: reference").waitFor()
    const broken = await digest()
    const program = fileURLToPath(new URL("../../scripts/run.mjs", import.meta.url))
    const words = ["simulations/src/simulate.ts", "swarm", "--seed", "1", "--bug", "lost-update", "--json"]
    const { stdout } = spawnSync(process.execPath, [program, ...words], { encoding: "utf8" })
    expect(stdout).toContain(`"digest":"${broken}"`)
    await page.getByRole("heading", { name: "The counterexample: 2 actions, 0 faults" }).waitFor()
    expect(await page.getByRole("region", { name: "Expected beside got" }).innerText()).toContain("updatedAt")
    await page.getByText("The planted bug", { exact: true }).click()
    expect(await page.locator("details pre").innerText()).toContain("yield* Effect.sleep(100)")
    expect(await axeFindings(page)).toEqual([])
    const started = page.waitForEvent("download")
    await page.getByRole("button", { name: "Save the file" }).click()
    const text = readFileSync(await (await started).path(), "utf8")
    const counterexample = Either.getOrThrow(readCounterexample(text))
    expect([counterexample.bug, counterexample.violates.oracle]).toEqual(["lost-update", "reference"])
    // Node runs the code as it is: the same steps, and the rule holds.
    expect(run(inputOfCounterexample(counterexample)).outcome).toBe("passed")
    await page.getByRole("button", { name: "Replay it" }).click()
    await page.getByText("The counterexample breaks the same rule again.").waitFor()
    expect(await digest()).toBe(counterexample.digest)

    await go("")
    await openFile("found.json", text)
    await page
      .getByText("It is a counterexample of swarm, seed 1, with the planted bug lost-update.")
      .waitFor()
    await page.getByRole("button", { name: "Replay it" }).click()
    await page.getByText("The counterexample breaks the same rule again.").waitFor()
    expect(await digest()).toBe(counterexample.digest)
  })

  it("takes a scenario of one's own from a file, and says what is wrong with another", async () => {
    await openFile("wrong.json", `{ "name": "fair", "hours": "1" }`)
    await page.getByText(/hours: takes a number .*not "1"/).waitFor()
    const own = {
      name: "fair",
      about: "A trade fair.",
      hours: 0.1,
      brands: [{ people: 5, consumers: ["healthy"], perHour: { observe: 100 } }]
    }
    await openFile("fair.json", JSON.stringify(own))
    await page.getByText("It is a scenario: choose a seed above, and run it.").waitFor()
    await page.getByLabel("Seed").fill("5")
    await start()
    expect(await digest()).toBe(simulate(Schema.decodeUnknownSync(Scenario)(own), 5).digest)
    await page.getByRole("button", { name: "Put it away" }).click()
    expect(await page.getByLabel("Scenario").inputValue()).toBe("swarm")
  })

  it("opens to a key, too, and asks the server for nothing but its program", async () => {
    const { data } = await server.operate("POST", `/operator/brands/${brand}/keys`, { label: "sales" })
    const sales = await server.open(`/brands/${brand}/simulator?hours=0.01`, { credential: data.key })
    await sales.page.getByLabel("Scenario").waitFor()
    const requested: Array<string> = []
    sales.page.on("request", (request) => requested.push(new URL(request.url()).pathname))
    await sales.page.getByRole("button", { name: "Run", exact: true }).click()
    await sales.page.locator("[data-digest]").waitFor()
    expect(requested).toContain("/console/simulator.js")
    expect(requested.filter((path) => !path.startsWith("/console/"))).toEqual([])
    expect(sales.wrong).toEqual([])
    await sales.context.close()
  })

  it("makes no code at run time: the worker has the policy of the pages", async () => {
    const policy = (await fetch(`${server.url}/console/simulator.js`)).headers.get("content-security-policy")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain("unsafe")
    expect(main.wrong).toEqual([])
  })
})
