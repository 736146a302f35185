/** A person in the console: a browser at the page of a brand that has leads, over each store. In thorough runs alone. */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { beforeAll, describe, it } from "vitest"
import { chromiumPath } from "../harness/Chromium.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { endServersAfterTests } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  closeConsolesAfterTests,
  type ConsoleServer,
  type ConsoleWindow,
  startConsole
} from "./ConsoleBrowser.ts"

/** Leads of the brand, named `Person 000` and so on. */
export const leadCount = 130

/** A promise that is settled from outside. */
export const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

const stores = [
  { store: "SQLite", isMissing: false, settings: async () => ({}) },
  {
    store: "Postgres",
    isMissing: isWithoutPostgres,
    settings: async () => ({ LEAD_SIGNALS_DATABASE: await newDatabase() })
  }
]

/** What the brand's webhooks call: it answers each post with `status`. */
interface StatusReceiver {
  status: number
}

const observationOf =
  (signal: string) =>
  (id: number, more: object = {}): object => ({
    signalId: signal,
    person: { extId: `p-${id}`, name: `Person ${String(id).padStart(3, "0")}` },
    engagement: { id: `e-${id}`, type: "comment" },
    ...more
  })

/** What the person can do in the browser, and an operator beside it. */
const personAt = (
  server: ConsoleServer,
  window: ConsoleWindow,
  { brand, signal }: { readonly brand: string; readonly signal: string },
  { receiver, receiverUrl }: { readonly receiver: StatusReceiver; readonly receiverUrl: string }
) => {
  const page: Page = window.page
  const operate = (method: string, path: string, json?: unknown) =>
    server.operate(method, `/operator/brands/${brand}${path}`, json)
  return {
    server,
    window,
    page,
    brand,
    signal,
    receiver,
    operate,
    go: (path: string) => page.goto(`${server.url}/console/brands/${brand}${path}`),
    note: (text: string | RegExp) =>
      page.getByRole("status", { name: "Notes" }).getByText(text).last().waitFor(),
    choose: async (menu: string, item: string | RegExp) => {
      await page.getByRole("button", { name: menu, exact: true }).click()
      await page.getByRole("menuitem", { name: item }).click()
    },
    button: (name: string | RegExp) => page.getByRole("button", { name, exact: true }),
    observation: observationOf(signal),
    webhookOf: async (description: string): Promise<string> =>
      (
        await operate("POST", "/webhooks", {
          url: `${receiverUrl}/hook`,
          events: ["lead2.created"],
          description
        })
      ).data.id,
    /** The text of the file that the click downloads. */
    saved: async (click: () => Promise<void>): Promise<string> => {
      const started = page.waitForEvent("download")
      await click()
      return readFileSync(await (await started).path(), "utf8")
    }
  }
}

type ConsolePerson = ReturnType<typeof personAt>

/** Describes what the person does, over each store; the cases share one server, in their order. */
export const describePerson = (title: string, body: (person: () => ConsolePerson) => void): void => {
  closeConsolesAfterTests()
  describe.each(stores)(`${title}, on $store`, ({ isMissing, settings }) => {
    // Asked anew: files of tests share this module, and some of a run may have their short form.
    if (chromiumPath === undefined || !isThorough || isMissing)
      return it.skip("is left to thorough runs with Chromium and the store", () => {})
    let person: ConsolePerson
    endServersAfterTests()
    beforeAll(async () => {
      const receiver: StatusReceiver = { status: 200 }
      const { url: receiverUrl } = await startReceiver((_, response) =>
        response.writeHead(receiver.status).end("noted")
      )
      const server = await startConsole({
        LEAD_SIGNALS_WEBHOOK_RETRY: "1",
        LEAD_SIGNALS_RATE_LIMIT: "2",
        ...(await settings())
      })
      const brand = (await server.operate("POST", "/operator/brands", { name: "Northwind" })).data.id
      const signal = await server.operate("POST", `/operator/brands/${brand}/signals`, {
        name: "Rivals",
        signalType: "t",
        source: { type: "posts-with-keywords", value: "launch" }
      })
      await server.operate("POST", `/operator/brands/${brand}/observations`, {
        observations: Array.from({ length: leadCount }, (_, i) => observationOf(signal.data.id)(i))
      })
      const window = await server.open(`/brands/${brand}`)
      person = personAt(server, window, { brand, signal: signal.data.id }, { receiver, receiverUrl })
    })
    body(() => person)
  })
}
