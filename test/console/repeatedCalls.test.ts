/** The keys that the console puts on its calls. */
import createClient, { type Middleware } from "openapi-fetch"
import { describe, expect, it } from "vitest"

const module = new URL("../../packages/console/src/api/repeatedCalls.ts", import.meta.url).href
const { repeatedCalls } = (await import(module)) as { readonly repeatedCalls: () => Middleware }

/** A client whose server answers with these statuses in turn; null stands for no answer, and "under way" for a 409 that says to come again. */
const clientOf = (statuses: ReadonlyArray<number | "under way" | null>) => {
  const keys: Array<string | null> = []
  const api = createClient<any>({
    baseUrl: "http://server.example",
    fetch: (request) => {
      const status = statuses[keys.length]!
      keys.push(request.headers.get("idempotency-key"))
      return status === null
        ? Promise.reject(new TypeError("no answer"))
        : Promise.resolve(
            status === "under way"
              ? new Response("{}", { status: 409, headers: { "retry-after": "1" } })
              : new Response("{}", { status })
          )
    }
  })
  api.use(repeatedCalls())
  const post = async (path: string, body: unknown) => {
    try {
      await api.POST(path as never, { body } as never)
    } catch {
      // There was no answer.
    }
  }
  return { api, keys, post }
}

describe("a call of the console", () => {
  it("keeps its key until it is answered, and then has another [IDEM-2]", async () => {
    const { keys, post } = clientOf([null, 503, "under way", 201, 201])
    for (let i = 0; i < 5; i++) await post("/operator/brands", { name: "A" })
    expect(keys[0]).toMatch(/^"[0-9a-f]{32}"$/)
    expect(keys.slice(1, 4)).toEqual([keys[0], keys[0], keys[0]])
    expect(keys[4]).not.toBe(keys[0])
  })

  it("has another key after an answer that is lost, and after what is in the way [IDEM-3]", async () => {
    const { keys, post } = clientOf([null, 409, 201])
    for (let i = 0; i < 3; i++) await post("/operator/brands", { name: "A" })
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it("has the key of another where both are clicked at once, and none of other bodies and paths [IDEM-2]", async () => {
    const { keys, post } = clientOf([201, 201, 201, 201])
    await Promise.all([
      post("/operator/brands", { name: "A" }),
      post("/operator/brands", { name: "A" }),
      post("/operator/brands", { name: "B" }),
      post("/operator/tokens", { name: "A" })
    ])
    expect(keys[1]).toBe(keys[0])
    expect(new Set(keys).size).toBe(3)
  })

  it("has none where none counts [IDEM-1]", async () => {
    const { api, keys, post } = clientOf([200, 200, 200, 200])
    await post("/operator/brands/1/observations", {})
    await post("/operator/brands/1/observations?unknownFields=report", {})
    await post("/session", {})
    await api.GET("/operator/brands" as never, {} as never)
    expect(keys).toEqual([null, null, null, null])
  })
})
