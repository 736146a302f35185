/** What the browser runs: the core, the API and the store in memory, and requests answered in the page itself. */
import { createLeadSignals, NotFound } from "@lead-signals/embedded"
import * as MemoryStore from "@lead-signals/store-memory"

const outcomeOfPage = async (): Promise<unknown> => {
  const service = await createLeadSignals({ store: MemoryStore.layer, operatorToken: "a-token-of-the-page" })
  const ask = async (path: string, token: string, body?: unknown): Promise<any> => {
    const response = await service.fetch(
      new Request(new URL(path, location.href), {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
    )
    return { status: response.status, ...((await response.json()) as object) }
  }
  const operator = "a-token-of-the-page"
  const brand = (await ask("/operator/brands", operator, { name: "Mine" })).data
  const key = (await ask(`/operator/brands/${brand.id}/keys`, operator, { label: "page" })).data.key
  const source = { type: "post-url" as const, value: "https://network.example/p/1" }
  const signal = await service.createSignal(brand.id, { name: "Launch", signalType: "post", source })
  const outcomes = await service.observe(
    brand.id,
    ["Åda", "Bo", "Cy"].map((name, i) => ({
      signalId: signal.id,
      person: { extId: `p-${i}`, name },
      engagement: { id: `e-${i}`, type: "comment", commentText: "<b>Nice</b>" }
    }))
  )
  const list = await ask("/signals/leads?search=%C3%A5DA&includeEngagements=true", key)
  const refused = await ask("/signals/leads?sort=age:up", key)
  const missing = await service.detail(brand.id, 99).catch((failure: unknown) => failure instanceof NotFound)
  await service.close()
  return {
    outcomes: outcomes.map(({ outcome }) => outcome),
    found: list.data.map(({ engagements, name }: any) => [name, engagements[0].commentText]),
    refused: [refused.status, refused.error.code],
    missing
  }
}

outcomeOfPage().then(
  (answer) => Object.assign(window, { outcomeOfPage: answer }),
  (failure: Error) => Object.assign(window, { outcomeOfPage: { failure: failure.stack } })
)
