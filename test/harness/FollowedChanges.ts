/**
 * Writers of one brand and readers who follow its feed of changes, at once and over HTTP, on however many nodes. In the end each reader's
 * copy is compared with what the list has. [CHG-1, CHG-3, CHG-4]
 */
import { createClient, type Lead } from "@lead-signals/client"
import { Prng } from "@lead-signals/simulation-kernel"
import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { operatorToken } from "./HttpServers.ts"

interface Followed {
  /** Where the nodes of the service listen. */
  readonly urls: ReadonlyArray<string>
  /** Requests that write, of all writers together. */
  readonly writes: number
  readonly writers?: number
  readonly readers?: number
  /** Seconds that readers let the service wait at most. */
  readonly maxWait?: number
}

/** What the writers and readers did. */
export interface FollowedFigures {
  readonly writes: number
  /** Observations that were recorded. */
  readonly events: number
  readonly erased: number
  /** Leads and removals that readers were told. */
  readonly changes: number
  /** Times that a reader broke off, and that one went on from an older cursor. */
  readonly broken: number
  readonly resumed: number
  /** Leads that are left, which every copy has. */
  readonly leads: number
}

/** Lets writers write and readers follow until the writers are through, then compares the readers' copies with the list. */
export const followAmongWriters = async ({
  maxWait = 1,
  readers = 6,
  urls,
  writers = 6,
  writes
}: Followed): Promise<FollowedFigures> => {
  const send = async (node: number, method: string, path: string, json?: unknown): Promise<any> => {
    for (;;) {
      const response = await fetch(`${urls[node % urls.length]!}/operator${path}`, {
        method,
        headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
      const text = await response.text()
      if (response.status === 503) {
        await sleep(20)
        continue
      }
      // Another writer may have erased the lead, or deleted the signal.
      if (!response.ok && ![404, 409].includes(response.status)) throw new Error(`${method} ${path}: ${text}`)
      return response.ok && text !== "" ? JSON.parse(text).data : null
    }
  }
  const brand = await send(0, "POST", "/brands", { name: "Followed" })
  const of = `/brands/${brand.id}`
  const limits = { label: "copies", requestsPerMinute: 1_000_000 }
  const keys: Array<string> = []
  for (let i = 0; i < readers; i++) keys.push((await send(0, "POST", `${of}/keys`, limits)).key)
  const newSignal = async (node: number): Promise<string> =>
    (
      await send(node, "POST", `${of}/signals`, {
        name: "Rivals",
        signalType: "mentions",
        source: { type: "posts-with-keywords", value: "rival" }
      })
    ).id
  const signals = [await newSignal(0), await newSignal(0)]
  const campaigns: Array<string> = []
  const ids: Array<number> = []
  const counts = { writes: 0, events: 0, erased: 0, changes: 0, broken: 0, resumed: 0 }
  let persons = 0
  const writing = { isOver: false }

  const writer = async (index: number): Promise<void> => {
    const prng = Prng.of(1, `writer ${index}`)
    const anyOf = <A>(all: ReadonlyArray<A>): A => all[prng.below(all.length)]!
    while (counts.writes < writes) {
      const n = counts.writes++
      const node = prng.below(urls.length)
      const kind = prng.fraction()
      const id = ids.length === 0 ? null : anyOf(ids)
      if (n % 25 < 24 && kind < 0.15 && id !== null) {
        await send(node, "PATCH", `${of}/leads/${id}`, { qualified: prng.chance(0.5), score1: n % 100 })
      } else if (n % 25 === 24 && id !== null) {
        if ((await send(node, "DELETE", `${of}/leads/${id}`)) !== null) counts.erased++
        else if (ids.includes(id)) {
          ids.splice(ids.indexOf(id), 1)
          counts.erased++
        }
      } else if (n % 50 === 30) {
        const gone = signals.shift()!
        signals.push(await newSignal(node))
        await send(node, "DELETE", `${of}/signals/${gone}`)
      } else if (n % 50 === 40) {
        campaigns.push((await send(node, "POST", `${of}/campaigns`, { name: "Spring" })).id)
        if (campaigns.length > 2) await send(node, "DELETE", `${of}/campaigns/${campaigns.shift()!}`)
      } else {
        // Most persons are seen few times, so that no later change hides one that was missed.
        const count = 1 + prng.below(3)
        const observations = Array.from({ length: count }, (_, i) => {
          const person = prng.chance(0.6) ? persons++ : prng.below(persons + 1)
          return {
            signalId: anyOf(signals),
            person: { extId: `p${person}`, name: `Name ${n}` },
            engagement: {
              id: `e${n}-${i}`,
              type: "comment",
              commentText: `Comment ${n}`,
              postUrl: `https://network.example/posts/${person % 7}`,
              // Authors are leads, too: their erasure alters leads that engaged with their posts.
              postAuthorDetail: { extId: `p${person % 5}`, name: "Author" }
            }
          }
        })
        const outcomes: ReadonlyArray<any> =
          (await send(node, "POST", `${of}/observations`, { observations })) ?? []
        for (const { leadId, outcome } of outcomes) {
          if (outcome !== "recorded") continue
          counts.events++
          if (!ids.includes(leadId)) ids.push(leadId)
        }
      }
    }
  }

  const reader = async (index: number): Promise<void> => {
    const prng = Prng.of(1, `reader ${index}`)
    const withEngagements = index % 3 === 2
    const pageSize = withEngagements ? 1 + prng.below(25) : 1 + prng.below(50)
    const rendered = withEngagements ? { includeEngagements: true } : {}
    const clients = urls.map((url) => createClient({ url, key: keys[index]! }))
    let copy = new Map<number, Lead>()
    let cursor: string | undefined
    const kept: Array<{ readonly cursor: string | undefined; readonly copy: ReadonlyMap<number, Lead> }> = []
    const sync = async (wait: number, isLast = false): Promise<void> => {
      const client = clients[prng.below(clients.length)]!
      const leaving = isLast || prng.chance(0.7) ? undefined : AbortSignal.timeout(prng.below(30))
      try {
        for await (const page of client.changes(
          { ...rendered, cursor, pageSize, wait },
          { signal: leaving }
        )) {
          for (const lead of page.leads) copy.set(lead.id, lead)
          for (const { id } of page.removed) copy.delete(id)
          counts.changes += page.leads.length + page.removed.length
          cursor = page.cursor
          if (isLast) continue
          if (kept.length === 0 || prng.chance(0.05)) kept.push({ cursor, copy: new Map(copy) })
          if (kept.length > 3) kept.shift()
          if (prng.chance(0.9)) continue
          counts.broken++
          return
        }
      } catch (failure) {
        if (leaving?.aborted !== true) throw failure
        counts.broken++
      }
    }
    const resume = (): void => {
      // Later ones would pass over what lies between.
      kept.splice(1 + prng.below(kept.length))
      const older = kept.at(-1)
      if (older === undefined) return
      counts.resumed++
      cursor = older.cursor
      // The copy of then, as from a backup, or that of now, which has newer leads already.
      if (prng.chance(0.5)) copy = new Map(older.copy)
    }
    while (!writing.isOver) {
      await sync(prng.below(maxWait + 1))
      await sleep(prng.below(40))
      if (prng.chance(0.15)) resume()
    }
    resume()
    await sync(0, true)
    const there = await list(urls[index % urls.length]!, keys[index]!, withEngagements)
    const differing = [...new Set([...copy.keys(), ...there.keys()])].flatMap((id) => {
      const [mine, its] = [copy.get(id), there.get(id)].map((lead) => JSON.stringify(lead) ?? "no lead")
      return mine === its ? [] : [`${mine} in the copy, ${its} in the list`]
    })
    expect(differing).toEqual([])
  }

  const reading = Array.from({ length: readers }, (_, i) => reader(i))
  const written = Promise.all(Array.from({ length: writers }, (_, i) => writer(i)))
  try {
    // A reader that fails ends the test at once.
    await Promise.race([written, Promise.all(reading)])
  } finally {
    writing.isOver = true
  }
  await Promise.all(reading)
  return { ...counts, leads: (await list(urls[0]!, keys[0]!, false)).size }
}

/** All leads as the list has them, by id. */
const list = async (
  url: string,
  key: string,
  includeEngagements: boolean
): Promise<ReadonlyMap<number, Lead>> => {
  const leads: Array<Lead> = []
  const client = createClient({ url, key })
  for await (const lead of client.leads({ sort: "createdAt:asc", pageSize: 25, includeEngagements }))
    leads.push(lead)
  return new Map(leads.sort((a, b) => a.id - b.id).map((lead) => [lead.id, lead]))
}
