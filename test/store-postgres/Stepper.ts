/** Steps the transactions of nodes statement by statement, in an order that a test gives, against a real server. */
import type pg from "pg"
import { setTimeout as sleep } from "node:timers/promises"

/** What a node's transaction does: it stands before a statement, runs one, waits in the server for a lock, or has ended. */
type State = "ended" | "running" | "standing"

/** One node, whose statements wait until they are let through. */
export class SteppedNode {
  readonly name: string
  state: State = "ended"
  private go: (() => void) | null = null
  /** Texts of the statements that were let through. */
  readonly passed: Array<string> = []
  /** Whether statements wait; otherwise all go through. */
  isStepped = false

  constructor(name: string) {
    this.name = name
  }

  /** The store's option of that name. */
  readonly beforeStatement = (text: string): Promise<void> => {
    if (!this.isStepped) return Promise.resolve()
    return new Promise((resolve) => {
      this.state = "standing"
      this.go = () => {
        this.state = "running"
        this.passed.push(text)
        resolve()
      }
    })
  }

  start<A>(work: () => Promise<A>): Promise<A> {
    this.isStepped = true
    this.state = "running"
    return work().finally(() => {
      this.state = "ended"
      this.isStepped = false
    })
  }

  step(): void {
    this.go!()
  }
}

/** What failed, without the stack. */
export const firstLine = (error: unknown): string => String(error).split("\n")[0]!

/** Names of the nodes that wait for a lock of another transaction. Nodes of other databases have the same names. */
const blocked = async (admin: pg.Client): Promise<ReadonlySet<string>> => {
  const { rows } = await admin.query<{ readonly name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND cardinality(pg_blocking_pids(pid)) > 0`
  )
  return new Set(rows.map(({ name }) => name))
}

/** Ends when no node runs: each stands, has ended or is blocked. Answers the blocked ones. */
const settle = async (nodes: ReadonlyArray<SteppedNode>, admin: pg.Client): Promise<ReadonlySet<string>> => {
  for (let looks = 0; ; looks++) {
    const running = nodes.filter(({ state }) => state === "running")
    if (running.length === 0) return new Set()
    await sleep(1)
    const waiting = await blocked(admin)
    if (nodes.every(({ name, state }) => state !== "running" || waiting.has(name))) return waiting
    if (looks > 20_000) throw new Error("a statement neither ends nor waits for a lock")
  }
}

/**
 * Runs the works at once, each on its node. `choose` names the node whose statement is next, of those that stand; a blocked node goes on
 * by itself when it can. Fails when all wait for each other.
 */
export const interleave = async (
  nodes: ReadonlyArray<SteppedNode>,
  works: ReadonlyArray<() => Promise<unknown>>,
  admin: pg.Client,
  choose: (standing: ReadonlyArray<SteppedNode>) => SteppedNode
): Promise<ReadonlyArray<unknown>> => {
  const results = nodes.map((node, i) =>
    node.start(works[i]!).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: firstLine(error) })
    )
  )
  for (;;) {
    const waiting = await settle(nodes, admin)
    const standing = nodes.filter(({ state }) => state === "standing")
    if (standing.length > 0) choose(standing).step()
    else if (nodes.every(({ state }) => state === "ended")) return Promise.all(results)
    else if (nodes.every(({ name }) => waiting.has(name))) {
      // A lock that was given since the server was asked is no deadlock.
      await sleep(20)
      const still = await blocked(admin)
      if (!nodes.every(({ name, state }) => state === "running" && still.has(name))) continue
      const passed = nodes.map(
        ({ name, passed: texts }) => `${name}: ${texts.map((text) => text.slice(0, 60)).join(" | ")}`
      )
      throw new Error(`the transactions wait for each other:\n${passed.join("\n")}`)
    }
  }
}
