import { eventTypes } from "@lead-signals/domain"
import { WebhookSignature } from "@lead-signals/webhook"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { freePort } from "../harness/FreePort.ts"
import { listenHere, startListener } from "../harness/Listener.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const envelope = (name: string) =>
  JSON.stringify({
    id: "wh_1",
    event: "activity.detected",
    data: {
      isFirstActivity: false,
      lead2: { name },
      engagements: [{ type: "reaction", reactionType: "LIKE" }]
    }
  })

const post = async (port: number, body: string, key: string | null, id = "wh_1"): Promise<number> => {
  const headers = key === null ? {} : { ...WebhookSignature.sign([key], { id, now: Date.now(), body }) }
  return (await fetch(`http://127.0.0.1:${port}/any`, { method: "POST", headers, body })).status
}

describe("lead-signals listen", () => {
  it("verifies, tells repetitions, fails as planned, and lets no control character through [CLI-7, DELIV-1]", async () => {
    const port = await freePort()
    const listener = startListener("--port", String(port), "--secret", secret, "--fail", "503:2")
    await listener.until(/Listening on/)
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
    const body = envelope("Ada\u001b[31m\u0007 Example")
    const statuses = [
      await post(port, body, secret),
      await post(port, body, secret),
      await post(port, body, secret),
      await post(port, body, other, "wh_2"),
      await post(port, body, null),
      await post(port, "no json", secret, "wh_3")
    ]
    expect(statuses).toEqual([503, 503, 204, 401, 401, 204])
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(405)
    await listener.until(/wh_3/)
    const lines = listener
      .text()
      .trim()
      .split("\n")
      .filter((line) => /^\d\d:/.test(line))
      .map((line) => line.slice(10))
    expect(lines).toEqual([
      "✓ verified  activity.detected  Ada [31m  Example reacted LIKE  → 503  wh_1",
      "✓ verified  activity.detected  Ada [31m  Example reacted LIKE  (again, 2)  → 503  wh_1",
      "✓ verified  activity.detected  Ada [31m  Example reacted LIKE  (again, 3)  wh_1",
      "✗ refused   activity.detected  Ada [31m  Example reacted LIKE  (its signature does not match)  → 401  wh_2",
      "✗ refused   activity.detected  Ada [31m  Example reacted LIKE  (it has no signature)  → 401",
      "✓ verified  no event           wh_3"
    ])
    expect(await listener.end()).toBe(0)
  })

  it("prints a line for each event of a batch and of a CloudEvent [CLI-7, BATCH-1, FMT-3]", async () => {
    const port = await freePort()
    const listener = startListener("--port", String(port), "--secret", secret)
    await listener.until(/Listening on/)
    const { data, event } = JSON.parse(envelope("Ada"))
    const cloudEvent = { specversion: "1.0", id: "wh_2", source: "/brands/2", type: event, data }
    const batch = JSON.stringify([{ id: "wh_1", event, data }, cloudEvent])
    expect(await post(port, batch, secret, "wb_1")).toBe(204)
    expect(await post(port, JSON.stringify(cloudEvent), secret, "wh_2")).toBe(204)
    await listener.until(/again/)
    const lines = listener.text().trim().split("\n")
    expect(lines.filter((line) => /^\d\d:/.test(line)).map((line) => line.slice(10))).toEqual([
      "✓ verified  activity.detected  Ada reacted LIKE  wh_1  in wb_1",
      "✓ verified  activity.detected  Ada reacted LIKE  wh_2  in wb_1",
      "✓ verified  activity.detected  Ada reacted LIKE  (again, 2)  wh_2"
    ])
    expect(await listener.end()).toBe(0)
  })

  it("prints JSON for a script, and says what to do without a secret [CLI-7]", async () => {
    const port = await freePort()
    const listener = listenHere("--port", String(port), "--json")
    await listener.until(/Without --secret no signature is verified/)
    expect(await post(port, envelope("Ada"), secret)).toBe(204)
    await listener.until(/\n\{.*\}\n$/)
    const printed = JSON.parse(listener.text().trim().split("\n").at(-1)!)
    expect(printed).toMatchObject({
      id: "wh_1",
      event: "activity.detected",
      verified: null,
      answered: 204,
      times: 1,
      body: envelope("Ada")
    })
    await listener.end()
  })

  it("says what is wrong with what it was given [CLI-2]", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as { port: number }
    for (const [args, code, message] of [
      [["--secret", "whsec_x"], 2, "--secret takes whsec_"],
      [["--fail", "200"], 2, "--fail takes a status from 300 to 599"],
      [["--fail", "503:0"], 2, "--fail takes a status"],
      [["--port", "70000"], 2, "--port takes an integer"],
      [["--port", "x"], 2, "integer"],
      [["--port", String(port)], 2, `port ${port} is taken`]
    ] as const) {
      const listener = listenHere(...args)
      expect([args, await listener.exit]).toEqual([args, code])
      expect(listener.text()).toContain(message)
    }
    taken.close()
  })

  it("says how to let the server reach it, and what is left when the server has gone before it [CLI-4, CLI-7]", async () => {
    const message = "url takes https; http only reaches addresses that LEAD_SIGNALS_WEBHOOK_ALLOW names."
    const answers = [
      [400, { error: { code: "invalid_parameter", message } }],
      [201, { data: { id: "5", secret } }]
    ] as const
    const starts = [
      /may not reach this machine: restart it with LEAD_SIGNALS_WEBHOOK_ALLOW=127\.0\.0\.0\/8\. It answered: url takes https/,
      /as webhook 5/
    ]
    for (const [i, [status, body]] of answers.entries()) {
      const operator = createHttpServer((_, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      ).listen(0, "127.0.0.1")
      await once(operator, "listening")
      const url = `http://127.0.0.1:${(operator.address() as { port: number }).port}`
      const listener = listenHere("--brand", "2", "--url", url, "--token", "operator-token-of-the-tests")
      await listener.until(starts[i]!)
      operator.closeAllConnections()
      operator.close()
      if (status === 201) {
        await listener.end()
        expect(listener.text()).toContain(
          `Webhook 5 could not be deleted. There is no answer from ${url}; is the server running there? To delete it: lead-signals webhooks delete 5 --brand 2`
        )
      } else expect(await listener.exit).toBe(1)
    }
  })

  it("creates its webhook with the events, order, form and batches that it is given [CLI-7]", async () => {
    const created: Array<unknown> = []
    const operator = createHttpServer((request, response) => {
      let body = ""
      request
        .on("data", (part) => (body += part))
        .on("end", () => {
          if (request.method === "POST") created.push(JSON.parse(body))
          const data = { id: "5", secret }
          response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ data }))
        })
    }).listen(0, "127.0.0.1")
    await once(operator, "listening")
    const url = `http://127.0.0.1:${(operator.address() as { port: number }).port}`
    const settings =
      "--events lead2.created --ordering lead --max-delay 60 --format cloudevents --max-batch 10 --max-wait 5"
    for (const more of [settings.split(" "), []]) {
      const listener = listenHere("--brand", "2", "--url", url, "--token", "token-of-the-operator", ...more)
      await listener.until(/as webhook 5/)
      await listener.end()
    }
    const common = { url: expect.stringMatching(/^http:/), description: "lead-signals listen" }
    expect(created).toEqual([
      {
        ...common,
        events: ["lead2.created"],
        ordering: "lead",
        maxDelay: 60,
        format: "cloudevents",
        maxBatch: 10,
        maxWait: 5
      },
      { ...common, events: [...eventTypes] }
    ])
    operator.close()
    for (const option of [
      ["--format", "cloudevents"],
      ["--events", "lead2.created"]
    ]) {
      const alone = listenHere("--secret", secret, ...option)
      expect(await alone.exit).toBe(2)
      expect(alone.text()).toContain("are of the webhook that --brand creates")
    }
  })

  it("ends with exit code 1 when the server refuses the subscription, with 3 when it does not answer [CLI-1, CLI-4]", async () => {
    const refusing = createHttpServer((_, response) => {
      const error = { code: "not_found", message: "There is no such brand." }
      response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }))
    }).listen(0, "127.0.0.1")
    await once(refusing, "listening")
    const { port } = refusing.address() as { port: number }
    for (const [target, message, code] of [
      [port, "There is no such brand.", 1],
      [await freePort(), "There is no answer from", 3]
    ] as const) {
      const url = `http://127.0.0.1:${target}`
      const listener = listenHere("--brand", "99", "--url", url, "--token", "operator-token-of-the-tests")
      await listener.until(new RegExp(message))
      expect([message, await listener.exit]).toEqual([message, code])
    }
    refusing.close()
  })
})
