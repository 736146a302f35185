/** Webhooks of the server as its users run it: several processes on one file, the way out, settings that are wrong. */
import { join } from "node:path"
import { readSettings } from "@lead-signals/server/internal"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import { startReceiver } from "../harness/Receiver.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()
const program = bundledServer
const folder = temporaryFolder()

const environment = (name: string) => ({
  LEAD_SIGNALS_DATABASE: join(folder, `${name}.sqlite`),
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
})

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const observation = (signalId: string, n: number) => ({
  signalId,
  person: { extId: `p${n}`, name: "N" },
  engagement: { id: `e${n}` }
})

describe("webhooks of the server", () => {
  it.runIf(isThorough)(
    "are sent once by two processes on one file, whichever took the observation [DELIV-2, STORE-3]",
    async () => {
      const receiver = await startReceiver((_, response) => void setTimeout(() => response.end(), 20))
      const [first, second] = await Promise.all([
        startServer(environment("two"), program),
        startServer(environment("two"), program)
      ])
      const { brandId, signalId } = await setUpBrand(first.url)
      const operate = (url: string, method: string, path: string, json?: unknown) =>
        callJson(`${url}/operator/brands/${brandId}${path}`, operatorToken, method, json)
      await operate(first.url, "POST", "/webhooks", { url: receiver.url, events: ["activity.detected"] })
      const feed = async (url: string, from: number): Promise<void> => {
        for (let n = from; n < from + 25; n++) {
          await operate(url, "POST", "/observations", { observations: [observation(signalId, n)] })
        }
      }
      await Promise.all([feed(first.url, 0), feed(second.url, 1000)])
      while (receiver.received.length < 50) await sleep(20)
      await sleep(500)
      const ids = receiver.received.map(({ headers }) => headers["webhook-id"])
      expect([ids.length, new Set(ids).size]).toEqual([50, 50])
      expect(await Promise.all([first.end("SIGTERM"), second.end("SIGTERM")])).toEqual([0, 0])
    }
  )

  it("are finished and recorded on the way out, and not sent again [DELIV-2, DELIV-5, HEALTH-5]", async () => {
    let answerAll = (): void => {}
    const receiver = await startReceiver((_, response) => {
      answerAll = () => void response.writeHead(204).end()
    })
    const server = await startServer(environment("drain"), program)
    const { brandId, signalId } = await setUpBrand(server.url)
    const path = `/operator/brands/${brandId}`
    await callJson(`${server.url}${path}/webhooks`, operatorToken, "POST", {
      url: receiver.url,
      events: ["lead2.created"]
    })
    await callJson(`${server.url}${path}/observations`, operatorToken, "POST", {
      observations: [observation(signalId, 1)]
    })
    while (receiver.received.length === 0) await sleep(5)
    const ended = server.end("SIGTERM")
    while (!server.err().includes("draining")) await sleep(5)
    answerAll()
    expect(await ended).toBe(0)
    const again = await startServer(environment("drain"), program)
    const { body } = await callJson(`${again.url}${path}/webhooks/1/deliveries`, operatorToken)
    expect(body.data).toMatchObject([{ state: "delivered", attempts: 1 }])
    expect(receiver.received).toHaveLength(1)
    await again.end("SIGTERM")
  })

  it.each([
    [
      "LEAD_SIGNALS_WEBHOOK_ALLOW",
      "10.0.0.0/8,local",
      'takes CIDRs separated by commas, like 127.0.0.0/8,::1/128; "local" is not a CIDR.'
    ],
    ["LEAD_SIGNALS_WEBHOOK_ALLOW", "10.0.0.0/40", '"10.0.0.0/40" is not a CIDR.'],
    [
      "LEAD_SIGNALS_WEBHOOK_RETRY",
      "5,x",
      "takes seconds separated by commas, each at most 2592000, like 5,300,1800."
    ],
    ["LEAD_SIGNALS_WEBHOOK_RETRY", " ", "takes seconds separated by commas"],
    [
      "LEAD_SIGNALS_PUBLIC_URL",
      "leads.example.com",
      "takes an absolute http or https URL without user, query and fragment"
    ]
  ])("are refused with one line when %s is %j [RUN-1]", (name, value, message) => {
    const refused = Either.flip(readSettings({ [name]: value })).pipe(Either.getOrNull)
    expect(refused?.split("\n")).toEqual([expect.stringContaining(`${name} `)])
    expect(refused).toContain(message)
  })
})
