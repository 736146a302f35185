/** Traces and metrics of a running server, as a collector and a Prometheus get them. */
import { once } from "node:events"
import { mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { readOtel } from "@lead-signals/server/internal"
import { Either } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  spawnBundle,
  startServer
} from "../harness/ServerProcess.ts"

endServersAfterTests()
const program = bundledServer

type Json = any

const received: Array<{ readonly path: string; readonly headers: Json; readonly body: Json }> = []
const collector = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ path: request.url!, headers: request.headers, body: JSON.parse(body) as Json })
    response.end("{}")
  })
}).listen(0, "127.0.0.1")
await once(collector, "listening")
afterAll(() => collector.close())
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

const attributesOf = (of: Json): Json =>
  Object.fromEntries(of.attributes.map(({ key, value }: Json) => [key, Object.values(value)[0]]))

const spans = (): Array<Json> =>
  received.flatMap(({ body }) =>
    (body.resourceSpans ?? []).flatMap((each: Json) => each.scopeSpans.flatMap((scope: Json) => scope.spans))
  )
const metricNames = (): Set<string> =>
  new Set(
    received.flatMap(({ body }) =>
      (body.resourceMetrics ?? []).flatMap((each: Json) =>
        each.scopeMetrics.flatMap((scope: Json) => scope.metrics.map(({ name }: Json) => name))
      )
    )
  )

const until = async (isSo: () => boolean): Promise<void> => {
  for (let i = 0; !isSo(); i++) {
    if (i > 40_000)
      throw new Error(
        `it never was so: ${spans()
          .map(({ name }) => name)
          .join()}`
      )
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** By name and labels. */
const samplesOf = (page: string): Map<string, number> =>
  new Map(
    page
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const [, sample, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line)!
        return [sample!, Number(value)]
      })
  )

const settings = {
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
  LEAD_SIGNALS_WEBHOOK_RETRY: "3600"
}

describe("a server that is watched", () => {
  it.runIf(isThorough)(
    "sends spans and metrics where OTEL_* say, with no personal data in them [OPER-8, PII-2]",
    async () => {
      const server = await startServer(
        {
          ...settings,
          LEAD_SIGNALS_DATABASE: join(temporaryFolder(), "watched.sqlite"),
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=a%20b",
          OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
          OTEL_METRIC_EXPORT_INTERVAL: "200",
          OTEL_BSP_SCHEDULE_DELAY: "100"
        },
        program
      )
      const brand = await setUpBrand(server.url)
      const observations = [
        { signalId: brand.signalId, person: { extId: "p1", name: "Personal Name" }, engagement: { id: "e1" } }
      ]
      const operator = `${server.url}/operator/brands/${brand.brandId}`
      await callJson(`${operator}/webhooks`, operatorToken, "POST", {
        url: "http://127.0.0.1:9/",
        events: ["lead2.created"]
      })
      await callJson(`${operator}/observations`, operatorToken, "POST", { observations })
      await callJson(`${server.url}/signals/leads?search=Personal%20Name&sort=name:asc&Personal=1`, brand.key)
      await callJson(`${server.url}/signals/leads/77`, brand.key)
      const named = (name: string): Array<Json> => spans().filter((span) => span.name === name)
      await until(
        () =>
          named("GET /signals/leads/:id").length > 0 &&
          metricNames().has("lead_signals_delivery_attempts_total")
      )

      const [list] = named("GET /signals/leads")
      expect(attributesOf(list)).toMatchObject({
        "http.route": "/signals/leads",
        "http.response.status_code": 200,
        "lead_signals.query.shape": "search,sort"
      })
      const [stored] = named("leads listRendered")
      expect([stored.traceId, stored.parentSpanId]).toEqual([list.traceId, list.spanId])
      expect(attributesOf(named("GET /signals/leads/:id")[0])["http.response.status_code"]).toBe(404)
      expect(named("leads commit")).toHaveLength(1)
      expect([...metricNames()]).toEqual(
        expect.arrayContaining([
          "http_server_request_duration_seconds",
          "lead_signals_store_duration_seconds",
          "lead_signals_delivery_attempts_total",
          "lead_signals_deliveries_pending"
        ])
      )
      expect(received[0]!.headers["x-api-key"]).toBe("a b")
      expect(
        attributesOf(
          received[0]!.body.resourceSpans?.[0].resource ?? received[0]!.body.resourceMetrics[0].resource
        )
      ).toMatchObject({
        "service.name": "lead-signals",
        "deployment.environment.name": "test"
      })
      const all = JSON.stringify(received)
      for (const secret of ["Personal", 'p1"', brand.key, operatorToken, "whsec_"])
        expect(all).not.toContain(secret)
      await server.end("SIGTERM")
    }
  )

  it("answers /metrics to the operator alone, with queue depth and attempts, and loads no exporter unasked [OPER-1, OPER-8, PII-2]", async () => {
    const before = received.length
    const server = await startServer({ ...settings, LEAD_SIGNALS_DATABASE: "memory" }, program)
    const brand = await setUpBrand(server.url)
    const operator = `${server.url}/operator/brands/${brand.brandId}`
    await callJson(`${operator}/webhooks`, operatorToken, "POST", {
      url: "http://127.0.0.1:9/",
      events: ["lead2.created"]
    })
    const seen = (n: number) => ({
      signalId: brand.signalId,
      person: { extId: `p${n}`, name: "Personal Name" },
      engagement: { id: `e${n}` }
    })
    await callJson(`${operator}/observations`, operatorToken, "POST", {
      observations: [seen(1), seen(2), seen(2), {}]
    })
    for (let i = 0; i < 3; i++) await callJson(`${server.url}/signals/leads`, brand.key)
    const read = async (): Promise<Map<string, number>> => {
      const response = await fetch(`${server.url}/metrics`, {
        headers: { authorization: `Bearer ${operatorToken}` }
      })
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
      const page = await response.text()
      expect(page).not.toContain("Personal")
      return samplesOf(page)
    }
    let samples = await read()
    const failed = 'lead_signals_delivery_attempts_total{outcome="retried"}'
    await expect.poll(async () => (samples = await read()).get(failed), { interval: 10 }).toBe(2)
    expect(samples.get("lead_signals_deliveries_pending")).toBe(2)
    expect(samples.get('lead_signals_health{check="writes"}')).toBe(1)
    // Memory has no journal of removals.
    expect(samples.has('lead_signals_health{check="removals"}')).toBe(false)
    expect(samples.get('lead_signals_observations_total{outcome="recorded"}')).toBe(2)
    expect(samples.get('lead_signals_observations_total{outcome="duplicate"}')).toBe(1)
    const lists = 'route="/signals/leads",method="GET",status="200"'
    expect(samples.get(`http_server_request_duration_seconds_count{${lists}}`)).toBe(3)
    expect(samples.get(`http_server_request_duration_seconds_bucket{${lists},le="+Inf"}`)).toBe(3)
    expect(
      samples.get('lead_signals_store_duration_seconds_count{port="leads",operation="list",outcome="done"}')
    ).toBe(3)
    expect((await callJson(`${server.url}/metrics`, brand.key)).status).toBe(401)
    expect(received.length).toBe(before)
    await server.end("SIGTERM")
  })

  it("says in metrics whether the store is read and written, and the journal of removals written, as /health/ready does [HEALTH-3, OPER-8]", async () => {
    const database = join(temporaryFolder(), "watched.sqlite")
    const journal = `${database}-removals`
    const server = await startServer({ ...settings, LEAD_SIGNALS_DATABASE: database }, program)
    const brand = await setUpBrand(server.url)
    const health = async (): Promise<ReadonlyArray<number | undefined>> => {
      const response = await fetch(`${server.url}/metrics`, {
        headers: { authorization: `Bearer ${operatorToken}` }
      })
      const samples = samplesOf(await response.text())
      return ["reads", "writes", "removals"].map((check) =>
        samples.get(`lead_signals_health{check="${check}"}`)
      )
    }
    expect(await health()).toEqual([1, 1, 1])
    rmSync(journal)
    mkdirSync(journal)
    const keys = `${server.url}/operator/brands/${brand.brandId}/keys`
    const { body } = await callJson(keys, operatorToken)
    expect((await callJson(`${keys}/${body.data[0].id}`, operatorToken, "DELETE")).status).toBe(503)
    expect(await health()).toEqual([1, 0, 0])
    expect((await callJson(`${server.url}/health/ready`, "")).body).toMatchObject({
      status: "degraded",
      writes: false
    })
    rmSync(journal, { recursive: true })
    let now = await health()
    // The server tries again each second.
    while (now[2] !== 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      now = await health()
    }
    expect(now).toEqual([1, 1, 1])
    await server.end("SIGTERM")
  })

  it("stops with one line when a variable of OpenTelemetry can't be read [RUN-1]", async () => {
    const variables = [
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "takes http/protobuf or http/json."],
      ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", "takes http/protobuf or http/json."],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector", "takes a URL, like http"],
      ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "collector", "takes a URL, like http"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "takes a URL, like http"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:hidden@collector.example", "takes a URL, like http"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=hidden%0Ax", "takes names and values of HTTP headers."],
      ["OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x key=hidden", "takes names and values of HTTP headers."],
      ["OTEL_TRACES_SAMPLER", "some", "takes always_on"],
      ["OTEL_METRICS_EXPORTER", "prometheus", "takes otlp or none."],
      ["OTEL_METRIC_EXPORT_INTERVAL", "often", "takes a whole number of at least 1."],
      ["OTEL_BSP_SCHEDULE_DELAY", "0", "takes a whole number of at least 1."]
    ] as const
    for (const [name, value, takes] of variables) {
      const read = readOtel(
        { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, [name]: value },
        { serviceName: "lead-signals" }
      )
      const message = Either.getOrThrow(Either.flip(read))
      expect(message).toContain(`${name} ${takes}`)
      expect(message.split("\n")).toHaveLength(1)
      expect(message).not.toContain("hidden")
    }
    // The server stops with that message.
    for (const [name, value, takes] of variables.slice(0, isThorough ? undefined : 1)) {
      const { err, exit } = spawnBundle(program, {
        ...settings,
        LEAD_SIGNALS_DATABASE: "memory",
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        [name]: value
      })
      expect([name, await exit]).toEqual([name, 2])
      expect(err()).toContain(`${name} ${takes}`)
      expect(err().trim().split("\n")).toHaveLength(1)
    }
  })
})
