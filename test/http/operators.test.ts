/** Tokens of operators: who may call what, for which brands, and until when. */
import { KeyFormat } from "@lead-signals/domain"
import { openApi } from "@lead-signals/http"
import { describe, expect, it } from "vitest"
import { operatorToken, setUpBrand, startBrand } from "../harness/HttpServers.ts"
import { settableWallClock } from "../harness/SettableWallClock.ts"

const { clock, set } = settableWallClock()
const { api, brand } = await startBrand({ clock })
const other = await setUpBrand(api)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const create = async (json: object) => {
  const { body, status } = await api.operate("POST", "/operator/tokens", { name: "t", ...json })
  expect(status).toBe(201)
  return body.data
}

const call = (token: string, path: string, method = "GET", json?: object) =>
  api.call(path, { method, headers: bearer(token), ...(json === undefined ? {} : { json }) })

/** Begins the stream of live events, and answers the error, or a status and no body. */
const beginEvents = async (token: string, path: string) => {
  const response = await fetch(`${api.url}${path}`, { headers: bearer(token) })
  const isError = response.status >= 400
  const body = isError ? ((await response.json()) as any) : null
  if (!isError) await response.body!.cancel()
  return { status: response.status, body }
}

const read = (token: string) => call(token, "/operator/brands")

/** Every operation of operators: method, a path of the brand, and the scope that the document names. */
const operations = (brandId: string) =>
  Object.entries(openApi().paths as Record<string, Record<string, any>>).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation["security"].some((each: object) => "operatorToken" in each)
        ? [
            {
              id: (operation["operationId"] as string).split(".")[1]!,
              scope: operation["x-required-scope"] as string,
              isOfBrand: path.includes("{brandId}"),
              call: (token: string) => {
                const url = path.replace("{brandId}", brandId).replaceAll(/\{\w+\}/g, "999")
                return url.endsWith("/events")
                  ? beginEvents(token, url)
                  : api.call(url, {
                      method: method.toUpperCase(),
                      headers: bearer(token),
                      ...(["post", "put", "patch"].includes(method) ? { json: { nothing: "known" } } : {})
                    })
              }
            }
          ]
        : []
    )
  )

describe("a token of an operator", () => {
  it("is shown once, has a checksum, and is listed by its start [OPER-11]", async () => {
    const made = await create({ name: "collector", scopes: ["webhooks", "ingest"], brandIds: [brand.id] })
    expect(made.token).toMatch(/^lst_[0-9A-Za-z]{38}$/)
    expect(KeyFormat.isWellFormed(made.token, KeyFormat.tokenPrefix)).toBe(true)
    const { token, ...rendered } = made
    expect(rendered).toMatchObject({
      name: "collector",
      start: token.slice(0, 12),
      scopes: ["ingest", "webhooks"],
      brandIds: [brand.id],
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null
    })
    const { body } = await api.operate("GET", "/operator/tokens")
    expect(body.data.at(-1)).toEqual(rendered)
    expect(JSON.stringify(body)).not.toContain(token)
  })

  it("works until it is revoked or expires, and then gets the words for an unknown one [OPER-1, OPER-11]", async () => {
    const [revoked, expiring, expired, unused] = [
      await create({ scopes: ["read"] }),
      await create({ scopes: ["read"], expiresAt: "2999-12-31" }),
      await create({ scopes: ["read"], expiresAt: new Date(Date.now() + 60_000).toISOString() }),
      KeyFormat.fromRandom(crypto.getRandomValues(new Uint8Array(128)), KeyFormat.tokenPrefix)
    ]
    expect([(await read(revoked.token)).status, (await read(expiring.token)).status]).toEqual([200, 200])
    for (let time = 0; time < 2; time++)
      expect((await api.operate("DELETE", `/operator/tokens/${revoked.id}`)).status).toBe(204)
    const unknown = await read("unknown")
    expect(unknown.body.error.code).toBe("invalid_operator_token")
    set(60_000)
    expect((await read(expiring.token)).status).toBe(200)
    for (const token of [revoked.token, expired.token, unused, `${revoked.token}x`]) {
      const { body, headers, status } = await read(token)
      expect([status, body, headers.get("www-authenticate")]).toEqual([401, unknown.body, "Bearer"])
    }
    set(-60_000)
    expect((await api.operate("DELETE", "/operator/tokens/999")).status).toBe(404)
  })

  it("opens the calls of its scopes alone, and each call says which it needs [OPER-10]", async () => {
    const found = operations(brand.id)
    expect(found.length).toBeGreaterThan(30)
    for (const scope of ["read", "ingest", "webhooks", "metrics", "admin"]) {
      const { token } = await create({ scopes: [scope] })
      // The deletion of the brand and the token's own revocation would succeed.
      for (const operation of found.filter(({ id }) => id !== "deleteBrand")) {
        const { body, status } = await operation.call(token)
        const isOpen = operation.scope === scope || (operation.id === "metrics" && scope === "metrics")
        if (isOpen) expect([operation.id, status]).not.toEqual([operation.id, 403])
        else {
          expect([operation.id, status, body.error.code]).toEqual([operation.id, 403, "forbidden"])
          expect(body.error.message).toContain(`"${operation.scope}"`)
        }
      }
    }
  })

  it("ends its live events with its revocation [OPER-11, LIVE-3]", async () => {
    const { id, token } = await create({ scopes: ["read"], brandIds: [brand.id] })
    const response = await fetch(`${api.url}/operator/brands/${brand.id}/events`, { headers: bearer(token) })
    expect(response.status).toBe(200)
    await api.operate("DELETE", `/operator/tokens/${id}`)
    expect(await response.text()).toMatch(/^id: \d+\nretry: /)
  })

  it("sees no brand but its own [OPER-12]", async () => {
    const { token } = await create({
      scopes: ["read", "ingest", "webhooks", "admin"],
      brandIds: [brand.id]
    })
    expect((await read(token)).body.data.map(({ id }: { id: string }) => id)).toEqual([brand.id])
    const [there, missing] = [operations(other.id), operations("999999")]
    for (const [i, operation] of there.entries()) {
      const { body, status } = await operation.call(token)
      if (operation.isOfBrand) {
        const ofMissing = await missing[i]!.call(token)
        expect([operation.id, status, body]).toEqual([operation.id, 404, ofMissing.body])
      } else if (!["listBrands", "listAudit"].includes(operation.id)) {
        expect([operation.id, status]).toEqual([operation.id, 403])
        expect(body.error.message).toContain("all brands")
      }
    }
    expect((await call(token, `/operator/brands/${brand.id}/leads`)).status).toBe(200)
  })

  it("is refused with a bad name, scope, brand or time [OPER-4, OPER-11, AUTH-12]", async () => {
    const refused = async (json: object) =>
      (await api.operate("POST", "/operator/tokens", { name: "t", scopes: ["read"], ...json })).body.error
    expect((await refused({ name: "" })).message).toMatch(/^name takes/)
    expect((await refused({ scopes: [] })).message).toMatch(/^scopes takes/)
    expect((await refused({ scopes: ["all"] })).message).toMatch(/^scopes\[0\] takes one of read, ingest/)
    expect((await refused({ brandIds: [] })).message).toMatch(/^brandIds takes/)
    expect((await refused({ expiresAt: "soon" })).message).toMatch(/^expiresAt takes/)
    expect((await refused({ expiresAt: "2026-01-01" })).message).toBe(
      "expiresAt takes a time in the future, or null; this time has passed."
    )
    expect((await refused({ brandIds: ["999"] })).code).toBe("not_found")
  })

  it("signs a browser in, with its scopes, until it is revoked [SES-1, SES-3, OPER-11]", async () => {
    const { id, token } = await create({ scopes: ["read"], brandIds: [brand.id] })
    const sameOrigin = { "sec-fetch-site": "same-origin" }
    const begun = await api.call("/session", {
      method: "POST",
      json: { credential: token },
      headers: sameOrigin
    })
    expect(begun.body.data).toMatchObject({ access: "operator", scopes: ["read"], brandIds: [brand.id] })
    const cookie = begun.headers.get("set-cookie")!.split(";")[0]!
    const headers = { cookie, ...sameOrigin }
    expect((await api.call("/operator/brands", { headers })).body.data).toHaveLength(1)
    const forbidden = await api.call("/operator/brands", { method: "POST", json: { name: "x" }, headers })
    expect([forbidden.status, forbidden.body.error.message]).toEqual([
      403,
      'This call needs the scope "admin", which the credential does not have.'
    ])
    await api.operate("DELETE", `/operator/tokens/${id}`)
    expect((await api.call("/operator/brands", { headers })).status).toBe(401)
    expect((await api.call("/session", { headers })).body).toEqual({ data: null })
    const again = { method: "POST", json: { credential: token }, headers: sameOrigin }
    expect((await api.call("/session", again)).body.error.code).toBe("invalid_credential")
  })

  it("notes its last use to the minute [OPER-11]", async () => {
    const { id, token } = await create({ scopes: ["read"] })
    await read(token)
    const { body } = await api.operate("GET", "/operator/tokens")
    const { lastUsedAt } = body.data.find((each: { id: string }) => each.id === id)
    expect(lastUsedAt).toMatch(/:00\.000Z$/)
  })
})

describe("the token of the environment", () => {
  it("has every scope, and no call lists or revokes it [OPER-10]", async () => {
    for (const operation of operations(other.id).filter(({ id }) => id !== "deleteBrand"))
      expect([401, 403]).not.toContain((await operation.call(operatorToken)).status)
    const { body } = await api.operate("GET", "/operator/tokens")
    expect(JSON.stringify(body)).not.toContain(operatorToken.slice(0, 8))
  })
})
