/** Bodies that a client holds back while its credential is revoked. */
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { type HeldBody, heldBody } from "../harness/HeldBodies.ts"
import { observation, operatorToken, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

/** The service looks a credential up again when its body took a second. */
const heldMillis = 1200

const held = (path: string, headers: Record<string, string>, begin: string): HeldBody =>
  heldBody(api.url + path, headers, begin)

interface Token {
  readonly id: string
  readonly token: string
}

const createToken = async (name: string): Promise<Token> =>
  (await api.operate("POST", "/operator/tokens", { name, scopes: ["admin", "ingest"] })).body.data

const revoke = async ({ id }: Token): Promise<void> =>
  expect((await api.operate("DELETE", `/operator/tokens/${id}`)).status).toBe(204)

const namesOf = async (path: string): Promise<ReadonlyArray<string>> =>
  (await api.operate("GET", path)).body.data.map(({ name }: { readonly name: string }) => name)

const authorized = ({ token }: Pick<Token, "token">) => ({ authorization: `Bearer ${token}` })

const refusal = { status: 401, text: expect.stringContaining('"invalid_operator_token"') }

const linesPath = `/operator/brands/${brand.id}/observations`
const lineOf = (id: string): string => JSON.stringify(observation(brand.signalId, id, `${id}-1`))

describe("a body that is held back", () => {
  it("does nothing any more when the token of its call was revoked meanwhile [OPER-11]", async () => {
    const token = await createToken("stolen")
    const headers = authorized(token)
    const calls = [
      held("/operator/tokens", headers, '{"name":"ghost","scopes":["admin"]'),
      held(
        "/operator/tokens",
        { ...headers, "idempotency-key": "held-1" },
        '{"name":"ghost","scopes":["admin"]'
      ),
      held("/operator/brands", headers, '{"name":"ghost"'),
      held(linesPath, headers, `{"observations":[${lineOf("ghost")}]`)
    ]
    await revoke(token)
    await sleep(heldMillis)
    for (const { end } of calls) expect(await end("}")).toEqual(refusal)
    expect(await namesOf("/operator/tokens")).not.toContain("ghost")
    expect(await namesOf("/operator/brands")).not.toContain("ghost")
    const leads = await api.call("/signals/leads?search=ghost", { token: brand.key })
    expect(leads.body.data).toEqual([])
  })

  it("ends with lines that come after the revocation [OPER-11, OBS-8]", async () => {
    const token = await createToken("of a feed")
    const headers = { ...authorized(token), "content-type": "application/x-ndjson" }
    const lines = held(linesPath, headers, `${lineOf("before")}\n`)
    await expect
      .poll(async () => (await api.call("/signals/leads?search=before", { token: brand.key })).body.data)
      .toHaveLength(1)
    await revoke(token)
    await sleep(heldMillis)
    const { status, text } = await lines.end(`${lineOf("after")}\n`)
    expect(status).toBe(200)
    expect(text.trim().split("\n")).toEqual([
      expect.stringContaining('"outcome":"recorded"'),
      expect.stringContaining('"invalid_operator_token"')
    ])
    const after = await api.call("/signals/leads?search=after", { token: brand.key })
    expect(after.body.data).toEqual([])
  })

  it("does nothing any more when the session of its call has ended meanwhile [OPER-11, SES-3]", async () => {
    const origin = { "sec-fetch-site": "same-origin" }
    const signedIn = await api.call("/session", {
      method: "POST",
      json: { credential: operatorToken },
      headers: origin
    })
    const headers = { ...origin, cookie: signedIn.headers.get("set-cookie")!.split(";")[0]! }
    const call = held("/operator/brands", headers, '{"name":"session"')
    // Long enough for the call to be let in; where it is not, the test passes and shows nothing.
    await sleep(300)
    await api.call("/session", { method: "DELETE", headers })
    await sleep(heldMillis)
    expect(await call.end("}")).toEqual(refusal)
    expect(await namesOf("/operator/brands")).not.toContain("session")
  })

  it("does what it says while its credential permits it [OPER-11, ERR-6]", async () => {
    const token = await createToken("of a slow client")
    const call = held("/operator/brands", authorized(token), '{"name":"slow"')
    await sleep(heldMillis)
    expect(await call.end("}")).toMatchObject({ status: 201 })
    expect(await namesOf("/operator/brands")).toContain("slow")
  })
})
