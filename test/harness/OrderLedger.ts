/**
 * Writers of a few leads with ordered webhooks, on however many server processes that are killed meanwhile; and a judge who reads nothing but the
 * log of a receiver, the acknowledgements of the writers and, in the end, the list of deliveries. [ORD-2, ORD-5, DELIV-2]
 */
import { Prng } from "@lead-signals/simulation-kernel"
import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { startReceiver } from "./Receiver.ts"
import { callJson, operatorToken, type ServerProcess, setUpBrand } from "./ServerProcess.ts"

/** An event that came to a receiver. */
interface Arrival {
  readonly id: string
  readonly lead: string
  /** The event's type, with the engagement that it is of. */
  readonly event: string
  readonly isInOrder: boolean
  /** The ids of dead letters that its post names. */
  readonly skipped: ReadonlyArray<string>
}

/** The faults that the log of a receiver shows, one for each event of a lead that came too early. */
const faultsOf = (log: ReadonlyArray<Arrival | Answer>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  /** By lead: the ids that came, in order, with whether each was taken. */
  const lanes = new Map<string, Map<string, boolean>>()
  const skipped = new Set<string>()
  for (const each of log) {
    if ("of" in each) {
      const lane = lanes.get(each.of.lead)
      if (lane?.has(each.of.id) === true && each.status >= 200 && each.status <= 299)
        lane.set(each.of.id, true)
      continue
    }
    for (const id of each.skipped) skipped.add(id)
    const lane = lanes.get(each.lead) ?? new Map<string, boolean>()
    lanes.set(each.lead, lane)
    if (lane.has(each.id)) continue
    const open = [...lane].find(([id, isTaken]) => !isTaken && !skipped.has(id))
    if (open !== undefined) faults.push(`${each.event} of ${each.lead} came before ${open[0]} was taken`)
    lane.set(each.id, false)
  }
  return faults
}

/** A receiver has answered an arrival. */
interface Answer {
  readonly of: Arrival
  readonly status: number
}

const arrivalsOf = (body: string, headers: Readonly<Record<string, string>>): ReadonlyArray<Arrival> => {
  const parsed = JSON.parse(body)
  const orders = (headers["lead-signals-ordering"] ?? "").split(" ")
  const skipped = (headers["lead-signals-skipped"] ?? "").split(" ").filter((id) => id !== "")
  return (Array.isArray(parsed) ? parsed : [parsed]).map(({ data, event, id }, i) => ({
    id,
    lead: data.lead2.extId,
    event: `${event} ${event === "lead2.created" ? data.lead2.extId : data.engagements[0].id}`,
    isInOrder: orders[i] === "lead",
    skipped: i === 0 ? skipped : []
  }))
}

/** Answers most posts with 204; refuses some, cuts some off, and lets some wait. */
const startFlakyReceiver = async (prng: ReturnType<typeof Prng.of>) => {
  const log: Array<Arrival | Answer> = []
  const receiver = await startReceiver(({ body, headers }, response, request) => {
    const arrivals = arrivalsOf(body, headers)
    log.push(...arrivals)
    const draw = prng.fraction()
    if (draw < 0.08) return void request.socket.destroy()
    const status = draw < 0.3 ? 500 : 204
    setTimeout(
      () => {
        for (const of of arrivals) log.push({ of, status })
        response.writeHead(status).end()
      },
      draw > 0.8 ? 120 : 2
    )
  })
  return { ...receiver, log }
}

interface OrderLedger {
  /** Starts the process of this number, over the one store of all. */
  readonly start: (index: number) => Promise<ServerProcess>
  readonly processes: number
  readonly kills: number
  readonly seed: number
}

/** What the ledger holds in the end. */
export interface OrderLedgerFigures {
  readonly kills: number
  readonly acknowledged: number
  readonly events: number
  readonly posts: number
  readonly dead: number
  /** Dead letters that a later post named. */
  readonly named: number
  /** Events that the webhook without an order got too early. */
  readonly unordered: number
}

/**
 * Kills processes one after the other while writers write. Then checks that each lead's events came one after the other in the order of their
 * commits, that none is lost, and that none comes twice under two ids.
 */
export const keepOrderLedger = async ({
  kills,
  processes,
  seed,
  start
}: OrderLedger): Promise<OrderLedgerFigures> => {
  const prng = Prng.of(seed, "ledger of order")
  const servers = await Promise.all(Array.from({ length: processes }, (_, i) => start(i)))
  const { brandId, signalId } = await setUpBrand(servers[0]!.url)
  const operate = (method: string, path: string, json?: unknown, index = 0) =>
    callJson(`${servers[index]!.url}/operator/brands/${brandId}${path}`, operatorToken, method, json)
  const settings = {
    "one by one": { ordering: "lead" },
    "in batches": { ordering: "lead", maxBatch: 8 },
    unordered: {}
  }
  const webhooks = []
  for (const [name, setting] of Object.entries(settings)) {
    const receiver = await startFlakyReceiver(Prng.of(seed, name))
    const events = ["lead2.created", "activity.detected"]
    const { body } = await operate("POST", "/webhooks", { url: receiver.url, events, ...setting })
    webhooks.push({ name, id: body.data.id as string, receiver })
  }

  const acknowledged = new Set<string>()
  /** By lead and writer: the engagements in the order in which the writer sent them, each after the answer to the one before. */
  const sent = new Map<string, Array<string>>()
  const writing = { isOver: false }
  let number = 0
  const writer = async (name: number): Promise<void> => {
    const own = Prng.of(seed, `writer ${name}`)
    while (!writing.isOver) {
      const index = own.below(processes)
      const person = `p${own.below(12)}`
      const engagement = `w${name}-${number++}`
      const of = `${person} ${name}`
      sent.set(of, [...(sent.get(of) ?? []), engagement])
      const observations = [
        { signalId, person: { extId: person, name: "N" }, engagement: { id: engagement } }
      ]
      try {
        const { body, status } = await operate("POST", "/observations", { observations }, index)
        if (status === 200) {
          expect(body.data[0].outcome).toBe("recorded")
          acknowledged.add(engagement)
        } else expect(status).toBe(503)
      } catch (error) {
        if (!/fetch failed|terminated|JSON/.test(String(error))) throw error
        await sleep(50)
      }
      await sleep(40)
    }
  }
  const writers = Promise.all([writer(0), writer(1), writer(2)])
  const killing = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      const before = acknowledged.size
      while (acknowledged.size < before + 8) await sleep(5)
      await sleep(prng.below(300))
      const index = kill % processes
      expect(await servers[index]!.end("SIGKILL")).toBe("SIGKILL")
      servers[index] = await start(index)
    }
  }
  try {
    // A writer that fails ends the test at once.
    await Promise.race([killing(), writers])
  } finally {
    writing.isOver = true
  }
  await writers

  const pending = async (id: string): Promise<number> =>
    (await operate("GET", `/webhooks/${id}/deliveries?state=pending&pageSize=1`)).body.meta.pagination.total
  for (const { id } of webhooks) while ((await pending(id)) > 0) await sleep(200)

  const leadsPage = await operate("GET", "/leads?pageSize=100")
  const extIds = new Map<string, string>(leadsPage.body.data.map(({ extId, id }: any) => [String(id), extId]))
  const figures = {
    kills,
    acknowledged: acknowledged.size,
    events: 0,
    posts: 0,
    dead: 0,
    named: 0,
    unordered: 0
  }
  for (const { id: webhookId, name, receiver } of webhooks) {
    const { log, received } = receiver
    const arrivals = log.filter((each): each is Arrival => "lead" in each)
    const answers = log.filter((each): each is Answer => "of" in each)
    const taken = new Set(answers.filter(({ status }) => status === 204).map(({ of: { id } }) => id))
    /** In the order of their commits. */
    const kept: Array<any> = []
    for (let page = 1; ; page++) {
      const path = `/webhooks/${webhookId}/deliveries?pageSize=100&page=${page}`
      const { data } = (await operate("GET", path)).body
      if (data.length === 0) break
      kept.unshift(...data.toReversed())
    }
    // Nothing is lost: every acknowledged engagement has its delivery, which the receiver has taken, or which is a dead letter.
    const engagements = new Set(
      kept.filter(({ event }) => event === "activity.detected").map(({ engagementId }) => engagementId)
    )
    for (const each of acknowledged) expect([name, each, engagements.has(each)]).toEqual([name, each, true])
    for (const { id, state } of kept)
      expect([name, id, state === "dead" || taken.has(id)]).toEqual([name, id, true])
    // One id for each event, ever.
    const ids = new Map<string, string>()
    for (const { event, id } of arrivals) {
      expect([event, ids.get(event) ?? id]).toEqual([event, id])
      ids.set(event, id)
    }
    const faults = faultsOf(log)
    if (name === "unordered") {
      figures.unordered += faults.length
      continue
    }
    expect([name, faults]).toEqual([name, []])
    expect([name, arrivals.filter(({ isInOrder }) => !isInOrder)]).toEqual([name, []])
    // The first arrivals of each lead are its deliveries, in the order of the commits.
    const first = [...new Map(arrivals.map((each) => [each.id, each])).values()]
    const came = Map.groupBy(first, ({ lead }) => lead)
    const committed = Map.groupBy(
      kept.map(({ id, leadId }) => ({ id, lead: extIds.get(String(leadId))! })),
      ({ lead }) => lead
    )
    for (const [lead, all] of committed)
      expect([name, lead, came.get(lead)!.map(({ id }) => id)]).toEqual([name, lead, all.map(({ id }) => id)])
    // Each of one writer's engagements was sent after the answer to the one before.
    for (const [of, engagementsSent] of sent) {
      const [lead] = of.split(" ")
      const order = came
        .get(lead!)!
        .flatMap(({ event }) => (event.startsWith("activity.detected ") ? event.split(" ")[1]! : []))
        .filter((each) => engagementsSent.includes(each))
      expect([of, order]).toEqual([of, engagementsSent.filter((each) => order.includes(each))])
    }
    // A dead letter is named by the next post of its lead.
    const dead = new Set(kept.filter(({ state }) => state === "dead").map(({ id }) => id))
    const named = new Set(arrivals.flatMap(({ skipped }) => skipped))
    for (const id of named) expect([name, id, dead.has(id)]).toEqual([name, id, true])
    for (const all of committed.values())
      for (const { id } of all.slice(0, -1))
        expect([name, id, named.has(id)]).toEqual([name, id, dead.has(id)])
    figures.events += kept.length
    figures.posts += received.length
    figures.dead += dead.size
    figures.named += named.size
  }
  expect(await Promise.all(servers.map((server) => server.end("SIGTERM")))).toEqual(servers.map(() => 0))
  return figures
}
