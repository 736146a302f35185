/** Processes of a measurement on Postgres, each a node, and the processor time that they and the server use. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import pg from "pg"
import { microsOf, microsOfTree, parentOf } from "../ProcessorTime.ts"
import type { Task } from "./Node.ts"

/** Microseconds of each round, of the nodes and of Postgres; none where Postgres runs on another machine. */
export interface Costs {
  readonly nodes: Array<number>
  readonly postgres: Array<number>
}

/** Processor time before anything was measured. */
export const noCosts = (): Costs => ({ nodes: [], postgres: [] })

/** One node. `ask` answers when the node has done it, and rejects where it failed. */
export class NodeProcess {
  private readonly child: ChildProcess

  constructor(program: string) {
    this.child = fork(program, { execArgv: [], env: { ...process.env, NODE_ENV: "production" } })
  }

  get pid(): number {
    return this.child.pid!
  }

  async ask<Answer>(task: Task): Promise<Answer> {
    const ended = new AbortController()
    const { signal } = ended
    const answer = once(this.child, "message", { signal }) as Promise<
      [Answer & { readonly failure?: string }]
    >
    const exit = once(this.child, "exit", { signal }).then(([code, killedBy]) => {
      throw new Error(`A node ended with ${code ?? killedBy} before it answered "${task.do}"`)
    })
    this.child.send(task)
    const [given] = await Promise.race([answer, exit]).finally(() => ended.abort())
    if (given.failure !== undefined) throw new Error(given.failure)
    return given
  }

  kill(): void {
    this.child.kill("SIGKILL")
  }
}

/** Starts the nodes, and ends them after `work`, also where it fails. */
export const withNodeProcesses = async <A>(
  program: string,
  count: number,
  work: (all: ReadonlyArray<NodeProcess>) => Promise<A>
): Promise<A> => {
  const all = Array.from({ length: count }, () => new NodeProcess(program))
  try {
    const result = await work(all)
    await Promise.all(all.map((node) => node.ask({ do: "close" })))
    return result
  } finally {
    for (const node of all) node.kill()
  }
}

/** The same with the database opened by each node. */
export const withNodes = <A>(
  program: string,
  url: string,
  role: (Task & { do: "open" })["role"],
  count: number,
  work: (all: ReadonlyArray<NodeProcess>) => Promise<A>
): Promise<A> =>
  withNodeProcesses(program, count, async (all) => {
    await Promise.all(all.map((node) => node.ask({ do: "open", url, role })))
    return work(all)
  })

/** The postmaster of the database; null where it runs on another machine. */
export const postmasterOf = async (url: string): Promise<number | null> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid")
  const postmaster = parentOf(rows[0].pid)
  await client.end()
  return postmaster
}

/** Runs work that answers how much it did, and adds what one of it cost. */
export const accounted = async (
  costs: Costs,
  postmaster: number | null,
  all: ReadonlyArray<NodeProcess>,
  work: () => Promise<number>
): Promise<void> => {
  const pids = all.map(({ pid }) => pid)
  const before = [microsOf(pids), postmaster === null ? 0 : microsOfTree(postmaster)] as const
  const done = await work()
  costs.nodes.push((microsOf(pids) - before[0]) / done)
  if (postmaster !== null) costs.postgres.push((microsOfTree(postmaster) - before[1]) / done)
}
