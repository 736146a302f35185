/** Observations and deliveries of several nodes on one Postgres, each a process of its own. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import type { Progress } from "../BulkLoad.ts"
import type { Databases } from "./Databases.ts"
import {
  accounted,
  type Costs,
  noCosts,
  type NodeProcess,
  postmasterOf,
  withNodeProcesses,
  withNodes
} from "./NodeProcesses.ts"

const nodes = 4
const batch = 100
/** Calls of a node at a time. */
const lanes = 2

/** One measurement over so many nodes, a figure a round. */
export interface Figure {
  readonly name: string
  readonly leads: number
  /** Observations or deliveries a second, of all nodes together. */
  readonly subject: ReadonlyArray<number>
  readonly reference: ReadonlyArray<number> | null
  /** Processor time of one observation or delivery. */
  readonly costs: Costs
  readonly referenceCosts: Costs | null
}

const execute = async (url: string, ...statements: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const newWebhook = (brandId: number, target: string) =>
  `INSERT INTO lead_signals.webhook (brand_id, url, events, description, enabled, disabled_reason, failing_since, secrets, created_at)
   VALUES (${brandId}, '${target}', '["activity.detected"]', NULL, false, 'by-operator', NULL,
     '{"current":"whsec_${Buffer.alloc(32, 1).toString("base64")}","previous":null}', 0)`

const enableAll = "UPDATE lead_signals.webhook SET enabled = true, disabled_reason = NULL"
const enableUpTo = (id: number) => `${enableAll} WHERE id <= ${id}`

interface Pace {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** Batches of 100 from four nodes at once, and from one node; each observation queues a delivery. */
export const measureNodeIngest = async (
  program: string,
  databases: Databases,
  leads: number,
  pace: Pace,
  progress: Progress
): Promise<ReadonlyArray<Figure>> => {
  const subject = await databases.copyOf(await databases.of("subject", leads))
  const plain = await databases.copyOf(await databases.of("plain", leads))
  const postmaster = await postmasterOf(subject.url)
  let from = 0
  const round = async (all: ReadonlyArray<NodeProcess>, seconds: number, costs: Costs): Promise<number> => {
    let perSecond = 0
    await accounted(costs, postmaster, all, async () => {
      const startedAt = performance.now()
      const made = await Promise.all(
        all.map((node) => {
          const start = from
          from += 1_000_000
          return node.ask<{ done: number }>({ do: "ingest", seconds, lanes, batch, from: start })
        })
      )
      const sum = made.reduce((all, { done }) => all + done, 0)
      perSecond = (sum * 1000) / (performance.now() - startedAt)
      return sum
    })
    return perSecond
  }
  try {
    await execute(subject.url, newWebhook(1, "http://127.0.0.1:9/"))
    const figures: Array<Figure> = []
    for (const count of [1, nodes]) {
      const name = `ingest-${count}-${count === 1 ? "node" : "nodes"}`
      progress.say(`${leads.toLocaleString("en")} leads: ${name}`)
      const rates = { subject: [] as Array<number>, reference: [] as Array<number> }
      const [costs, referenceCosts] = [noCosts(), noCosts()]
      await withNodes(program, subject.url, "ingest", count, (ours) =>
        withNodes(program, plain.url, "reference", count, async (theirs) => {
          await round(ours, pace.warmUpSeconds, noCosts())
          await round(theirs, pace.warmUpSeconds, noCosts())
          for (let n = 0; n < pace.rounds; n++) {
            rates.subject.push(await round(ours, pace.seconds, costs))
            rates.reference.push(await round(theirs, pace.seconds, referenceCosts))
          }
        })
      )
      figures.push({ name, leads, ...rates, costs, referenceCosts })
    }
    const floor = { name: `rows-alone-${nodes}-nodes`, leads, subject: [] as Array<number>, costs: noCosts() }
    progress.say(`${leads.toLocaleString("en")} leads: ${floor.name}`)
    await withNodes(program, subject.url, "rows", nodes, async (all) => {
      await round(all, pace.warmUpSeconds, noCosts())
      for (let n = 0; n < pace.rounds; n++) floor.subject.push(await round(all, pace.seconds, floor.costs))
    })
    figures.push({ ...floor, reference: null, referenceCosts: null })
    return figures
  } finally {
    await subject.remove()
    await plain.remove()
  }
}

const webhooks = 16
/** The number among them whose deliveries compile the code of the emitters before posts are measured. */
const warmUpWebhooks = 4

/** A database with so many pending deliveries, to several webhooks that are disabled. */
const filled = async (
  program: string,
  databases: Databases,
  target: string,
  deliveries: number
): Promise<{ readonly url: string; readonly remove: () => Promise<void> }> => {
  const database = await databases.copyOf(await databases.of("subject", 1000))
  const made = Array.from({ length: webhooks }, (_, i) => newWebhook(1, `${target}/${i}`))
  await execute(database.url, ...made)
  await withNodes(program, database.url, "ingest", 1, async ([node]) => {
    let next = 0
    while (next * webhooks < deliveries) {
      const answer = await node!.ask<{ next: number }>({
        do: "ingest",
        seconds: 0.001,
        lanes: 1,
        batch,
        from: next
      })
      next = answer.next
    }
  })
  return database
}

const pendingOf = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    "SELECT count(*) AS n FROM lead_signals.delivery WHERE state = 'pending'"
  )
  await client.end()
  return Number(rows[0].n)
}

/** Waits until no delivery to the first webhooks, up to this id, is pending: what was posted last is recorded after it has arrived. */
const untilRecorded = async (url: string, webhookId: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const text = `SELECT 1 FROM lead_signals.delivery WHERE state <> 'delivered' AND webhook_id <= ${webhookId} LIMIT 1`
  while ((await client.query(text)).rows.length > 0) await sleep(50)
  await client.end()
}

/** Leases and records of four nodes, without posts between. */
export const measureOutbox = async (
  program: string,
  databases: Databases,
  rounds: number,
  deliveries: number,
  progress: Progress
): Promise<Figure> => {
  const subject: Array<number> = []
  const costs = noCosts()
  for (let round = 0; round < rounds; round++) {
    progress.say(`leases and records of ${nodes} nodes, round ${round + 1}`)
    const database = await filled(program, databases, "http://127.0.0.1:9", deliveries)
    try {
      const postmaster = await postmasterOf(database.url)
      await withNodes(program, database.url, "outbox", nodes, async (all) => {
        const pending = await pendingOf(database.url)
        await execute(database.url, enableAll)
        await accounted(costs, postmaster, all, async () => {
          const startedAt = performance.now()
          const done = await Promise.all(all.map((node) => node.ask<{ done: number }>({ do: "drain" })))
          const seconds = (performance.now() - startedAt) / 1000
          const sum = done.reduce((all, each) => all + each.done, 0)
          if (sum !== pending) throw new Error(`${sum} of ${pending} deliveries were leased`)
          subject.push(pending / seconds)
          return pending
        })
      })
    } finally {
      await database.remove()
    }
  }
  return {
    name: `lease-and-record-${nodes}-nodes`,
    leads: 1000,
    subject,
    reference: null,
    costs,
    referenceCosts: null
  }
}

/** Posts of four emitters to twelve webhooks of one receiver, from the moment at which they are enabled, after those to four others. */
export const measurePosts = async (
  program: string,
  receiver: string,
  databases: Databases,
  rounds: number,
  deliveries: number,
  progress: Progress
): Promise<ReadonlyArray<Figure>> => {
  const child = fork(receiver, { execArgv: [] })
  const answer = async () => ((await once(child, "message")) as [any])[0]
  const { port } = await answer()
  const subject: Array<number> = []
  const costs = noCosts()
  const floor = { subject: [] as Array<number>, costs: noCosts() }
  try {
    for (let round = 0; round < rounds; round++) {
      progress.say(`posts of ${nodes} emitters, round ${round + 1}`)
      const database = await filled(program, databases, `http://127.0.0.1:${port}`, deliveries)
      try {
        const postmaster = await postmasterOf(database.url)
        await withNodes(program, database.url, "emitter", nodes, async (all) => {
          const warmUp = Math.floor(((await pendingOf(database.url)) * warmUpWebhooks) / webhooks)
          child.send({ count: warmUp })
          const warm = answer()
          await execute(database.url, enableUpTo(warmUpWebhooks))
          await warm
          await untilRecorded(database.url, warmUpWebhooks)
          await accounted(costs, postmaster, all, async () => {
            const count = await pendingOf(database.url)
            child.send({ count })
            const received = answer()
            const startedAt = performance.now()
            await execute(database.url, enableAll)
            await received
            subject.push((count * 1000) / (performance.now() - startedAt))
            return count
          })
        })
      } finally {
        await database.remove()
      }
      await withNodeProcesses(program, nodes, async (all) => {
        const origin = `http://127.0.0.1:${port}`
        const post = async (sum: number): Promise<number> => {
          child.send({ count: sum })
          const received = answer()
          const count = sum / nodes
          await Promise.all([
            received,
            ...all.map((node) => node.ask({ do: "post", origin, count, webhooks }))
          ])
          return sum
        }
        await post((deliveries * warmUpWebhooks) / webhooks)
        await accounted(floor.costs, null, all, async () => {
          const startedAt = performance.now()
          const sum = await post(deliveries)
          floor.subject.push((sum * 1000) / (performance.now() - startedAt))
          return sum
        })
      })
    }
  } finally {
    child.kill()
  }
  const none = { leads: 1000, reference: null, referenceCosts: null }
  return [
    { name: `posts-${nodes}-emitters`, subject, costs, ...none },
    { name: `posts-alone-${nodes}-nodes`, ...floor, ...none }
  ]
}
