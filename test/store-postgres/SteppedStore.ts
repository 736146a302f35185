/** Nodes whose transactions a test steps, over one schema, with all that tells whether they ended as one after the other. */
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect } from "effect"
import pg from "pg"
import { makeSchema } from "../harness/MadeSchema.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"
import { watchDeadlocks } from "./Deadlocks.ts"
import { firstLine, interleave, SteppedNode } from "./Stepper.ts"
import { type MethodGroup, type Needs, runtimeOf, stillClock } from "./MethodGroup.ts"

const answerOf = (exit: unknown): string =>
  JSON.stringify(exit, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** Stands for a call that passes over what others have locked. */
const findsNothing = "a call that finds nothing"

/** Whether the method passes over what others have locked. */
const passesOver = (name: string): boolean => /^(?:lease|pruning)/.test(name)

/** The names with each of a subset of those that pass over locks replaced by a call that finds nothing. */
const withoutSome = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  names.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (all, name) =>
      all.flatMap((before) =>
        (passesOver(name) ? [name, findsNothing] : [name]).map((each) => [...before, each])
      ),
    [[]]
  )

const permutations = (all: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((first) =>
        permutations(all.filter((each) => each !== first)).map((rest) => [first, ...rest])
      )

export class SteppedStore<World extends { readonly brand: { readonly id: string } }> {
  private readonly schema = newSchema()
  readonly nodes: ReadonlyArray<SteppedNode>
  private admin!: pg.Client
  private deadlocks: ReturnType<typeof watchDeadlocks> | null = null
  private runtimes: ReadonlyArray<ReturnType<typeof runtimeOf>> = []

  constructor(
    private readonly group: MethodGroup<World>,
    count: number
  ) {
    this.nodes = Array.from({ length: count }, (_, i) => new SteppedNode(`node-${i}-of-${count}`))
  }

  async open(): Promise<void> {
    this.deadlocks = watchDeadlocks()
    const url = await sharedDatabase()
    await makeSchema(url, this.schema)
    this.admin = new pg.Client({ connectionString: url })
    await this.admin.connect()
    this.runtimes = this.nodes.map(({ beforeStatement, name }) =>
      runtimeOf(
        PostgresStore.layer({
          url,
          schema: this.schema,
          beforeStatement,
          applicationName: name,
          maxConnections: 2,
          notifications: false
        })
      )
    )
    for (const runtime of this.runtimes) await runtime.runPromise(Effect.void)
  }

  async close(): Promise<void> {
    this.deadlocks?.restore()
    for (const runtime of this.runtimes) await runtime.dispose()
    await this.admin?.end()
  }

  private run<A, E>(node: number, work: Effect.Effect<A, E, Needs>): Promise<A> {
    return this.runtimes[node]!.runPromise(Effect.withClock(work, stillClock))
  }

  private async create(): Promise<World> {
    // Leases of all brands are one call's: earlier worlds have nothing due.
    await this.admin.query(
      `UPDATE ${this.schema}.webhook SET enabled = false, disabled_reason = 'over' WHERE enabled`
    )
    return this.run(0, this.group.createWorld)
  }

  /** All that the ports and the counters show of the world, without what only the order of calls decides. */
  private async stateOf({ brand }: World): Promise<string> {
    const state: Record<string, ReadonlyArray<string>> = {}
    for (const [name, text] of Object.entries(this.group.tables(this.schema))) {
      const { rows } = await this.admin.query(text, [brand.id])
      state[name] = rows.map((row) => JSON.stringify(row)).sort()
    }
    return JSON.stringify(state, null, 1)
  }

  private workOf(name: string) {
    return this.group.methods[name] ?? (() => Effect.succeed([]))
  }

  /** The answers and the end state of the methods, one after the other in this order. */
  private async serially(names: ReadonlyArray<string>, order: ReadonlyArray<number>): Promise<string> {
    const world = await this.create()
    const answers: Array<unknown> = []
    for (const i of order) {
      answers[i] = await this.run(i, this.workOf(names[i]!)(world, `c${i}`)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: firstLine(error) })
      )
    }
    return `${answerOf(answers)}\n${await this.stateOf(world)}`
  }

  /**
   * How the methods, each on its node, may end: as in some serial order. A lease passes over deliveries that an erasure has locked, and a
   * pruning over whatever is locked, so each may end as one that found nothing.
   */
  async serialOutcomes(names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
    const mayPassOver = names.some((name) => /^(?:erase$|removeSome$|pruning)/.test(name))
    const outcomes: Array<string> = []
    for (const each of mayPassOver ? withoutSome(names) : [names]) {
      for (const order of permutations(names.map((_, i) => i)))
        outcomes.push(await this.serially(each, order))
    }
    return outcomes
  }

  /** Runs the methods at once; `choose` names the node whose statement is next. Answers how they end, and the statements of each node. */
  async interleaved(
    names: ReadonlyArray<string>,
    choose: (standing: ReadonlyArray<SteppedNode>) => SteppedNode
  ): Promise<{ readonly outcome: string; readonly steps: ReadonlyArray<number> }> {
    const world = await this.create()
    const answers = await interleave(
      this.nodes,
      names.map((name, i) => () => this.run(i, this.workOf(name)(world, `c${i}`))),
      this.admin,
      choose
    )
    const met = this.deadlocks?.met ?? []
    if (met.length > 0) throw new Error(`the server ended a deadlock at: ${met.join(" | ")}`)
    const steps = this.nodes.map(({ passed }) => passed.length)
    for (const node of this.nodes) node.passed.length = 0
    return { outcome: `${answerOf(answers)}\n${await this.stateOf(world)}`, steps }
  }
}
