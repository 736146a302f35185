/** `trigger` without a brand: an observation on the demo brand, and events to one webhook of it, as the built server has the demo. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { callServer } from "../harness/CommandRun.ts"
import {
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  startServer
} from "../harness/ServerProcess.ts"

let server: ServerProcess
const received: Array<{ readonly path: string; readonly event: string; readonly leadId: number | null }> = []
const receiver = createServer((request, response) => {
  let text = ""
  request.on("data", (part) => (text += String(part)))
  request.on("end", () => {
    const { data, event } = JSON.parse(text)
    received.push({ path: request.url!, event, leadId: data.lead2?.id ?? null })
    response.end()
    receiver.emit("received")
  })
})

endServersAfterTests()
afterAll(() => void receiver.close())
beforeAll(async () => {
  receiver.listen(0, "127.0.0.1")
  server = await startServer(
    {
      LEAD_SIGNALS_DATABASE: "memory",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
    },
    bundledServer
  )
})

/** Waits until so many posts are there. */
const posts = async (count: number) => {
  while (received.length < count) await once(receiver, "received")
  return received
}

describe("trigger without --brand", () => {
  it("records an observation on the demo brand, whose webhooks get the event; or sends one to one webhook [CLI-17]", async () => {
    const run = (...args: ReadonlyArray<string>) => callServer(server, args)
    // A later brand of the same name is another.
    const { brand: other } = await run("brands", "create", "Demo")
    const demo = (await run("brands", "list")).find(({ id }: { id: string }) => id !== other.id)
    const of = ["--brand", demo.id]
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const create = (path: string) =>
      run("webhooks", "create", `${target}${path}`, "--events", "lead2.created,activity.detected", ...of)
    const one = await create("/one")
    await create("/two")
    const { data: before } = await run("leads", "list", "--page-size", "1", ...of)

    const created = await run("trigger", "lead2.created")
    expect(created).toEqual({
      brandId: demo.id,
      leadId: expect.any(Number),
      engagementId: expect.any(String)
    })
    const lead = await run("leads", "show", String(created.leadId), ...of)
    expect([lead.name, lead.engagements.map(({ id }: { id: string }) => id)]).toEqual([
      "Trigger Example",
      [created.engagementId]
    ])
    expect(created.leadId).not.toBe(before[0].id)
    // A new lead has both events, and both webhooks subscribe to both.
    const first = [...(await posts(4))].map(({ event, leadId, path }) => `${path} ${event} ${leadId}`)
    expect(first.sort()).toEqual(
      ["/one", "/two"].flatMap((path) =>
        ["activity.detected", "lead2.created"].map((event) => `${path} ${event} ${created.leadId}`)
      )
    )

    // The second is of a person who is known by then: one event alone.
    const known = await run("trigger", "activity.detected")
    await posts(8)
    const again = await run("trigger", "activity.detected")
    expect(again).toMatchObject({ brandId: demo.id, leadId: known.leadId })
    expect(
      (await posts(10))
        .slice(8)
        .map(({ event, path }) => `${path} ${event}`)
        .sort()
    ).toEqual(["/one activity.detected", "/two activity.detected"])

    const sent = await run("trigger", "webhook.test", "--webhook", one.id)
    expect(sent.deliveryId).toMatch(/^wh_/)
    await run("trigger", "lead2.created", "--webhook", one.id)
    expect(
      (await posts(12))
        .slice(10)
        .map(({ event, path }) => `${path} ${event}`)
        .sort()
    ).toEqual(["/one lead2.created", "/one webhook.test"])
    expect(received).toHaveLength(12)
    expect((await run("leads", "list", "--brand", other.id)).data).toEqual([])
  })
})
