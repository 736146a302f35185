/** Drives an example over HTTP as its clients would. */
import { expect } from "vitest"
import { type Example, operatorToken } from "./ExampleProcess.ts"

export type Json = Record<string, any>

export const call = async (
  url: string,
  token: string,
  body?: unknown,
  type = "application/json"
): Promise<Json> => {
  const response = await fetch(url, {
    ...(body === undefined
      ? {}
      : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, "content-type": type }
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${answer}`)
  return type === "application/x-ndjson"
    ? answer
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Json)
    : (JSON.parse(answer) as Json)
}

export const seen = (n: number) => ({
  signalId: "1",
  person: { extId: `p-${n}`, name: `Person ${n}` },
  engagement: { id: `e-${n}`, type: "comment", commentText: "Nice!" }
})

/** A brand with a key and four leads, made and read through the API; answers the key. */
export const drive = async ({ url }: Example): Promise<string> => {
  const operator = `${url}/operator/brands`
  await call(operator, operatorToken, { name: "Mine" })
  const { data: key } = await call(`${operator}/1/keys`, operatorToken, { label: "k" })
  const source = { type: "post-url", value: "https://network.example/p/1" }
  await call(`${operator}/1/signals`, operatorToken, { name: "S", signalType: "post", source })
  await call(`${operator}/1/observations`, operatorToken, { observations: [seen(1), seen(2)] })
  const lines = [seen(3), seen(4)].map((each) => JSON.stringify(each)).join("\n")
  const outcomes = await call(`${operator}/1/observations`, operatorToken, lines, "application/x-ndjson")
  expect(outcomes).toMatchObject([{ outcome: "recorded" }, { outcome: "recorded" }])

  const list = await call(`${url}/signals/leads?search=person&sort=name:asc`, key["key"])
  expect(list["data"].map(({ name }: Json) => name)).toEqual(["Person 1", "Person 2", "Person 3", "Person 4"])
  const detail = await call(`${url}/signals/leads/1`, key["key"])
  expect(detail["data"].engagements).toHaveLength(1)

  // The API's own shape of every refusal, also where the host's framework has one.
  for (const [path, status, code] of [
    ["/signals/leads?pageSize=many", 400, "invalid_parameter"],
    ["/signals/leads/%zz", 400, "invalid_parameter"],
    ["/nowhere", 404, "not_found"]
  ] as const) {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key["key"]}` } })
    expect([path, response.status]).toEqual([path, status])
    expect(await response.json()).toMatchObject({ error: { code } })
  }
  return key["key"] as string
}
