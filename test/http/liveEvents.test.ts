/** Live events by server-sent events, over real sockets. */
import { maxPositionsBehind } from "@lead-signals/domain"
import { describe, expect, it } from "vitest"
import { EventStreamReader } from "../harness/EventStreamReader.ts"
import {
  type Api,
  type BrandSetUp,
  observation,
  observe,
  operatorToken,
  setUpBrand,
  startApi,
  startBrand
} from "../harness/HttpServers.ts"
import { settableWallClock } from "../harness/SettableWallClock.ts"

const quick = { maxStreams: 3, pollMillis: 5, heartbeatMillis: 60_000, stallMillis: 60_000 }
const authorization = `Bearer ${operatorToken}`

const pathOf = ({ id }: BrandSetUp): string => `/operator/brands/${id}/events`

const openStream = async (
  api: Api,
  brand: BrandSetUp,
  headers: Record<string, string> = { authorization }
): Promise<EventStreamReader> => {
  const reader = await EventStreamReader.open(`${api.url}${pathOf(brand)}`, headers)
  if (reader.status === 200) await reader.until(({ blocks }) => blocks.length > 0)
  return reader
}

const lastIdOf = ({ blocks }: EventStreamReader): string => blocks.at(-1)!.id

const resume = (api: Api, brand: BrandSetUp, id: string) =>
  openStream(api, brand, { authorization, "last-event-id": id })

const idsOf = ({ events }: EventStreamReader) => events.map(({ data }) => data.engagement?.id)

describe("live events", async () => {
  let isDraining = false
  const { api, brand } = await startBrand({ streamLimits: quick, draining: () => isDraining })
  const other = await setUpBrand(api)

  it("come as they are committed, with their lead, engagement and signal, of the brand alone [LIVE-1]", async () => {
    await observe(api, brand, observation(brand.signalId, "zoe", "e-0"))
    const stream = await openStream(api, brand)
    expect(stream.response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store"
    })
    await observe(api, other, observation(other.signalId, "eve", "e-9"))
    await observe(api, brand, observation(brand.signalId, "ada", "e-1"))
    await stream.until(({ events }) => events.length === 2)
    const lead = { id: 3, name: "Name of ada", headline: "Headline of ada" }
    const data = {
      event: "lead2.created",
      occurredAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      isFirstActivity: false,
      lead,
      engagement: { id: "e-1", type: "comment", reactionType: null },
      signal: { id: brand.signalId, name: "Rivals" }
    }
    expect(stream.events.map(({ data, event }) => ({ event, data }))).toEqual([
      { event: "lead2.created", data },
      {
        event: "activity.detected",
        data: { ...data, event: "activity.detected", isFirstActivity: true }
      }
    ])
    stream.close()
  })

  it("go on after the last event that the client has, also when it has none yet [LIVE-2]", async () => {
    const first = await openStream(api, brand)
    const start = lastIdOf(first)
    first.close()
    await observe(api, brand, observation(brand.signalId, "ada", "e-2"))
    await observe(api, brand, observation(brand.signalId, "ada", "e-3"))
    const second = await resume(api, brand, start)
    await second.until(({ events }) => events.length === 2)
    expect(idsOf(second)).toEqual(["e-2", "e-3"])
    second.close()
    const third = await resume(api, brand, second.events[0]!.id)
    await third.until(({ events }) => events.length === 1)
    expect(idsOf(third)).toEqual(["e-3"])
    third.close()
  })

  it("say where events may be missing [LIVE-2]", async () => {
    for (const id of ["x", "-1", "1e3", "999999999", "9".repeat(400)]) {
      const stream = await resume(api, brand, id)
      await stream.until(({ events }) => events.length > 0)
      expect([id, stream.events]).toEqual([
        id,
        [{ id: lastIdOf(stream), event: "gap", data: { reason: "unknown" } }]
      ])
      stream.close()
    }
    expect(maxPositionsBehind).toBe(10_000)
  })

  it("open for the operator alone [LIVE-1, OPER-3, SES-4]", async () => {
    const cookie = async (credential: string) => {
      const { headers } = await api.call("/session", { method: "POST", json: { credential } })
      return { cookie: headers.get("set-cookie")!.split(";")[0]! }
    }
    const status = async (headers: Record<string, string>, of = brand) => {
      const stream = await openStream(api, of, headers)
      stream.close()
      return stream.status
    }
    expect(await status({})).toBe(401)
    expect(await status({ authorization: `Bearer ${brand.key}` })).toBe(401)
    expect(await status({ authorization: `Bearer ${other.key}` })).toBe(401)
    expect(await status(await cookie(brand.key))).toBe(403)
    expect(await status(await cookie(other.key))).toBe(403)
    expect(await status({ authorization }, { ...brand, id: "99" })).toBe(404)
    expect(await status(await cookie(operatorToken))).toBe(200)
  })

  it("end when the session ends [LIVE-3]", async () => {
    const signIn = await api.call("/session", { method: "POST", json: { credential: operatorToken } })
    const cookie = signIn.headers.get("set-cookie")!.split(";")[0]!
    const stream = await openStream(api, brand, { cookie })
    const sameOrigin = { "sec-fetch-site": "same-origin" }
    await api.call("/session", { method: "DELETE", headers: { cookie, ...sameOrigin } })
    await stream.ended
    expect((await openStream(api, brand, { cookie })).status).toBe(401)
  })

  /** Waits until the server has a place for another stream. */
  const expectRoom = () =>
    expect
      .poll(async () => {
        const stream = await openStream(api, other)
        stream.close()
        return stream.status
      })
      .toBe(200)

  it("are as many as the server may have open [LIVE-4]", async () => {
    const streams = await Promise.all([1, 2, 3].map(() => openStream(api, brand)))
    const refused = await api.operate("GET", pathOf(brand))
    expect([refused.status, refused.headers.get("retry-after"), refused.body.error.code]).toEqual([
      503,
      "10",
      "unavailable"
    ])
    streams[0]!.close()
    await expectRoom()
    for (const stream of streams) stream.close()
  })

  it("are as many as the server may have open, also where more are asked for at once [LIVE-4]", async () => {
    const fresh = await startBrand({ streamLimits: quick })
    const ask = () =>
      fresh.api.fetch(new Request(`http://host${pathOf(fresh.brand)}`, { headers: { authorization } }))
    const answers = await Promise.all(Array.from({ length: 9 }, ask))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, ...Array(6).fill(503)])
    for (const { body, status } of answers) {
      if (status !== 200) continue
      const reader = body!.getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^id: /)
      await reader.cancel()
    }
  })

  it("are not begun by HEAD, which gets the head alone and takes no place [ERR-1, LIVE-4]", async () => {
    const path = `/operator/brands/${brand.id}/events`
    for (let i = 0; i < 20; i++) {
      const { headers, status, text } = await api.call(path, { method: "HEAD", token: operatorToken })
      expect([status, headers.get("content-type"), text]).toEqual([200, "text/event-stream", ""])
    }
    const stream = await openStream(api, brand)
    expect(stream.status).toBe(200)
    stream.close()
  })

  it("reach a fetch handler's client, whose leaving ends them [LIVE-4]", async () => {
    const ask = () => api.fetch(new Request(`http://host${pathOf(brand)}`, { headers: { authorization } }))
    for (let i = 0; i < quick.maxStreams + 2; i++) {
      let response = await ask()
      while (response.status === 503) response = await ask()
      const reader = response.body!.getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^id: \d+\nretry: 1000\n\n$/)
      await reader.cancel()
    }
  })

  it("leave nothing of a person in the log [PII-2]", () => {
    expect(api.log.length).toBeGreaterThan(0)
    expect(api.log.filter((line) => /Name of|Headline of|last-event-id/i.test(line))).toEqual([])
  })

  it("end when the server drains, which begins no others [LIVE-3]", async () => {
    const stream = await openStream(api, brand)
    isDraining = true
    await stream.ended
    expect((await openStream(api, brand)).status).toBe(503)
  })
})

describe("a client of live events", () => {
  it("gets a heartbeat while nothing happens [LIVE-3]", async () => {
    const api = await startApi({ streamLimits: { ...quick, heartbeatMillis: 30 } })
    const brand = await setUpBrand(api)
    const stream = await openStream(api, brand)
    await stream.until(({ blocks }) => blocks.length >= 3)
    expect(stream.events).toEqual([])
    stream.close()
    // A deletion is noticed with a heartbeat.
    const ending = await openStream(api, brand)
    await api.operate("DELETE", `/operator/brands/${brand.id}`)
    await ending.ended
  })

  it("gets heartbeats where the machine's clock is set back meanwhile [LIVE-3]", async () => {
    const { clock, set } = settableWallClock()
    const api = await startApi({ clock, streamLimits: { ...quick, heartbeatMillis: 30 } })
    const stream = await openStream(api, await setUpBrand(api))
    set(-3_600_000)
    const before = stream.blocks.length
    await stream.until(({ blocks }) => blocks.length >= before + 3)
    stream.close()
  })

  it("that does not read is disconnected, and goes on later where it was [LIVE-2, LIVE-4]", async () => {
    const limits = { ...quick, maxStreams: 1, stallMillis: 300 }
    const api = await startApi({ streamLimits: limits })
    const brand = await setUpBrand(api)
    const slow = await openStream(api, brand)
    slow.response.pause()
    const wide = "\u{10348}".repeat(500)
    const people = Array.from({ length: 2000 }, (_, i) => ({
      signalId: brand.signalId,
      person: { extId: `p-${i}`, name: `Person ${i}`, headline: wide },
      engagement: { id: `e-${i}` }
    }))
    for (let from = 0; from < people.length; from += 400)
      await observe(api, brand, ...people.slice(from, from + 400))
    // Its place is free again.
    await expect
      .poll(async () => {
        const other = await openStream(api, brand)
        other.close()
        return other.status
      })
      .toBe(200)
    slow.response.resume()
    await slow.ended
    expect(slow.events.length).toBeLessThan(2 * people.length)
    const all = [...slow.events]
    // A client that is busy for so long is disconnected again, and goes on again; its place may take a moment to be free.
    while (all.length < 2 * people.length) {
      const again = await resume(api, brand, all.at(-1)?.id ?? lastIdOf(slow))
      let isOver = false
      void again.ended.then(() => (isOver = true))
      await again.until(({ events }) => isOver || all.length + events.length >= 2 * people.length)
      if (again.status === 200) all.push(...again.events)
      again.close()
    }
    expect(all.map(({ data }) => data.lead.name)).toEqual(
      people.flatMap(({ person: { name } }) => [name, name])
    )
  })
})
