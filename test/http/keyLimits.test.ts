/** What limits an API key: expiry, scopes, and the addresses from which it works. */
import { TrustedProxies } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { type Api, type BrandSetUp, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { settableWallClock } from "../harness/SettableWallClock.ts"

/** The tests' own connections come from 127.0.0.1. */
const proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"]

const { clock, set } = settableWallClock()
let direct: Api
let proxied: Api
let brand: BrandSetUp
let ofProxied: BrandSetUp

beforeAll(async () => {
  direct = await startApi({ clock })
  proxied = await startApi({
    stores: Layer.merge(MemoryStore.layer, Layer.succeed(TrustedProxies, proxies)) as typeof MemoryStore.layer
  })
  brand = await setUpBrand(direct)
  ofProxied = await setUpBrand(proxied)
})

const createdBy = async (api: Api, { id }: BrandSetUp, json: object) => {
  const answer = await api.operate("POST", `/operator/brands/${id}/keys`, { label: "k", ...json })
  expect(answer.status).toBe(201)
  return answer.body.data
}

const read = (api: Api, key: string, path = "/signals/leads", headers: Record<string, string> = {}) =>
  api.call(path, { headers: { authorization: `Bearer ${key}`, ...headers } })

describe("a key that expires", () => {
  it("works until then, and gets the words for an unknown key afterwards [AUTH-9]", async () => {
    const day = 86_400_000
    const expiresAt = new Date(Date.now() + day).toISOString()
    const { key, ...rendered } = await createdBy(direct, brand, { expiresAt })
    expect(rendered.expiresAt).toBe(expiresAt)
    expect((await read(direct, key)).status).toBe(200)
    set(day)
    const [refused, unknown] = [await read(direct, key), await read(direct, "unknown")]
    set(-day)
    expect([refused.status, refused.body]).toEqual([401, unknown.body])
  })

  it("is not made when its time has passed [AUTH-12]", async () => {
    const makeBy = async (api: Api, expiresAt: string | null) => {
      const { body, status } = await api.operate("POST", `/operator/brands/${brand.id}/keys`, {
        label: "of the past",
        expiresAt
      })
      return [status, body.error?.code, body.error?.message]
    }
    const message = "expiresAt takes a time in the future, or null; this time has passed."
    const now = clock.unsafeCurrentTimeMillis()
    for (const past of ["2026-01-01", new Date(now).toISOString(), "1969-12-31T23:59:59Z"])
      expect(await makeBy(direct, past)).toEqual([400, "invalid_parameter", message])
    const { body } = await direct.operate("GET", `/operator/brands/${brand.id}/keys`)
    expect(body.data.map(({ label }: any) => label)).not.toContain("of the past")
    expect((await makeBy(direct, null))[0]).toBe(201)
  })
})

describe("a key with a scope", () => {
  it("reads what the scope names, and is told which scope it lacks [AUTH-10]", async () => {
    const campaign = await direct.operate("POST", `/operator/brands/${brand.id}/campaigns`, { name: "C" })
    const paths = {
      leads: ["/signals/leads", "/signal-leads"],
      metrics: [`/campaign/${campaign.body.data.id}/metrics`]
    }
    for (const scope of ["leads", "metrics"] as const) {
      const { key, scopes } = await createdBy(direct, brand, { scopes: [scope] })
      expect(scopes).toEqual([scope])
      const other = scope === "leads" ? "metrics" : "leads"
      for (const path of paths[scope]) expect((await read(direct, key, path)).status).toBe(200)
      for (const path of [...paths[other], ...(other === "leads" ? ["/signals/leads/1"] : [])]) {
        const { body, headers, status } = await read(direct, key, path)
        expect([status, body.error.code]).toEqual([403, "forbidden"])
        expect(body.error.message).toContain(`"${other}"`)
        expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThan(60)
      }
    }
  })
})

describe("a key with allowed addresses", () => {
  it("works from these alone, by the connection's address [AUTH-11]", async () => {
    const here = await createdBy(direct, brand, { allowedAddresses: ["127.0.0.0/8", "::1"] })
    expect(here.allowedAddresses).toEqual(["127.0.0.0/8", "::1"])
    expect((await read(direct, here.key)).status).toBe(200)
    const there = await createdBy(direct, brand, { allowedAddresses: ["192.0.2.0/24"] })
    const refused = await read(direct, there.key)
    expect([refused.status, refused.body]).toEqual([401, (await read(direct, "unknown")).body])
    // Nobody said that the connection is a proxy's.
    const forged = { "x-forwarded-for": "192.0.2.1" }
    expect((await read(direct, there.key, "/signals/leads", forged)).status).toBe(401)
    const signIn = { method: "POST", json: { credential: there.key } }
    expect((await direct.call("/session", signIn)).body.error.code).toBe("invalid_credential")
  })

  it.each([
    ["192.0.2.7", 200],
    ["::ffff:192.0.2.7", 200],
    ["2001:db8:1::7", 200],
    ["192.0.3.7", 401],
    // The client writes what is left of its own address.
    ["192.0.2.7, 198.51.100.1", 401],
    ["198.51.100.1, 192.0.2.7", 200],
    // Two proxies in a row.
    ["192.0.2.7, 10.1.2.3", 200],
    ["192.0.2.7, 10.1.2.3, 2001:db8:ffff::1", 200],
    ["192.0.2.7, 198.51.100.1, 10.1.2.3", 401],
    ["192.0.2.7, unknown", 401],
    ["unknown, 192.0.2.7", 200],
    ["192.0.2.7:4711", 401],
    ["192.0.2.7,", 401],
    ["", 401],
    // Nothing but proxies: the first of them is the client.
    ["10.1.2.3", 401]
  ])(
    "reads X-Forwarded-For of trusted proxies from the right: %s is answered %i [AUTH-11]",
    async (given, status) => {
      const { key } = await createdBy(proxied, ofProxied, {
        allowedAddresses: ["192.0.2.0/24", "2001:db8:1::/48"]
      })
      const answer = await read(proxied, key, "/signals/leads", { "x-forwarded-for": given })
      expect(answer.status).toBe(status)
      // The same on the way of other requests.
      const elsewhere = await read(proxied, key, "/nowhere", { "x-forwarded-for": given })
      expect(elsewhere.headers.has("x-ratelimit-remaining")).toBe(status === 200)
    }
  )

  it.each(["::ffff:127.0.0.0/104", "::ffff:7f00:0/104", "::ffff:127.0.0.1/128", "::ffff:127.0.0.1"])(
    "takes %s, which stands for addresses of IPv4, for those [AUTH-11]",
    async (range) => {
      const { key } = await createdBy(direct, brand, { allowedAddresses: [range] })
      expect((await read(direct, key)).status).toBe(200)
      const elsewhere = await createdBy(direct, brand, {
        allowedAddresses: [range.replace("127.0.0.", "192.0.2.").replace("7f00:0", "c000:200")]
      })
      expect((await read(direct, elsewhere.key)).status).toBe(401)
    }
  )

  it("is refused with what is no address [AUTH-11, OPER-4]", async () => {
    for (const text of ["here", "", "192.0.2.0/33", "192.0.2", "fe80::1%eth0", "192.0.2.7:80"]) {
      const { body, status } = await direct.operate("POST", `/operator/brands/${brand.id}/keys`, {
        label: "k",
        allowedAddresses: ["192.0.2.1", text]
      })
      expect([text, status, body.error?.message]).toEqual([
        text,
        400,
        "allowedAddresses[1] takes an address or a range like 192.0.2.0/24 or 2001:db8::/32."
      ])
    }
    // A key that no address may use would work nowhere.
    for (const allowedAddresses of [[], Array.from({ length: 101 }, (_, i) => `192.0.2.${i}`)]) {
      const { body, status } = await direct.operate("POST", `/operator/brands/${brand.id}/keys`, {
        label: "k",
        allowedAddresses
      })
      expect([status, body.error?.message]).toEqual([
        400,
        expect.stringContaining("allowedAddresses takes an array of 1 to 100 addresses or ranges")
      ])
    }
  })
})
