/** Calls of the operator API for webhooks and their deliveries, at a server that sends to this machine. */
import { OpenApiDocument } from "@lead-signals/simulations"
import { beforeAll, expect } from "vitest"
import {
  type Answer,
  type Api,
  type BrandSetUp,
  observation,
  observe,
  setUpBrand,
  startApi
} from "../harness/HttpServers.ts"

export const events = ["lead2.created", "activity.detected"]

/** What `look` finds, as soon as it finds something. */
export const until = async <A>(look: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const template = (path: string): string =>
  path
    .replace(/\?.*$/, "")
    .replace(/^\/operator\/brands\/[^/]+/, "/operator/brands/{brandId}")
    .replace(/(webhooks|leads)\/[^/]+/, "$1/{id}")
    .replace(/deliveries\/[^/]+/, "deliveries/{deliveryId}")

/** Call once in a file: the server and its brand are there when its tests begin. Each attempt is tried again once, after 10 ms. */
export const webhookCalls = () => {
  let api: Api
  let brand: BrandSetUp
  beforeAll(async () => {
    api = await startApi({ retryMillis: [10] })
    brand = await setUpBrand(api)
  })
  const webhooks = (): string => `/operator/brands/${brand.id}/webhooks`
  /** The text of each answer. */
  const made: Array<string> = []

  /** Every answer is one that the document gives. */
  const operate = async (method: string, path: string, json?: unknown): Promise<Answer> => {
    const answer = await api.operate(method, path, json)
    const problem =
      answer.status === 204
        ? null
        : OpenApiDocument.problemOf(template(path), method, answer.status, answer.body)
    expect([method, path, problem]).toEqual([method, path, null])
    made.push(answer.text)
    return answer
  }

  const create = async (url: string, more: object = {}) =>
    (await operate("POST", webhooks(), { url, events, ...more })).body.data

  const deliveriesOf = async (id: string, query = ""): Promise<Array<any>> =>
    (await operate("GET", `${webhooks()}/${id}/deliveries${query}`)).body.data

  /** The deliveries of a webhook, once none is pending. */
  const settled = (id: string): Promise<Array<any>> =>
    until(async () => {
      const found = await deliveriesOf(id, "?pageSize=100")
      return found.length > 0 && found.every(({ state }) => state !== "pending") ? found : undefined
    })

  let people = 0
  /** Records an engagement of a person who has not been seen. */
  const engage = async (): Promise<{ person: string; leadId: number }> => {
    const person = `person-${++people}`
    const [outcome] = await observe(api, brand, observation(brand.signalId, person, `engagement-${people}`))
    return { person, leadId: outcome.leadId }
  }

  return {
    get api() {
      return api
    },
    get brand() {
      return brand
    },
    create,
    deliveriesOf,
    engage,
    made,
    operate,
    settled,
    webhooks
  }
}
