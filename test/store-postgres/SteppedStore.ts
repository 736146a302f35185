/** Nodes whose transactions a test steps, over one schema, with all that tells whether they ended as one after the other. */
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect } from "effect"
import pg from "pg"
import { expect } from "vitest"
import { newSchema, sharedDatabase } from "./Databases.ts"
import { firstLine, interleave, SteppedNode } from "./Stepper.ts"
import { type Needs, runtimeOf, stillClock } from "./WritingMethods.ts"

const answerOf = (exit: unknown): string =>
  JSON.stringify(exit, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** Stands for a call that passes over what others have locked. */
const findsNothing = "a call that finds nothing"

/** Whether the method passes over what others have locked. */
const passesOver = (name: string): boolean => /^(?:lease|pruning)/.test(name)

/** Methods of the store that are stepped against each other, and what they work on. */
export interface MethodGroup<World extends { readonly brand: { readonly id: string } }> {
  /** Each method as one call on a world; `call` tells the calls of one run apart. */
  readonly methods: Readonly<
    Record<string, (world: World, call: string) => Effect.Effect<unknown, unknown, Needs>>
  >
  readonly createWorld: Effect.Effect<World, unknown, Needs>
  /** Queries for what shows of the brand `$1`, without what only the order of calls decides. */
  readonly tables: (schema: string) => Readonly<Record<string, string>>
}

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
  private runtimes: ReadonlyArray<ReturnType<typeof runtimeOf>> = []

  constructor(
    private readonly group: MethodGroup<World>,
    count: number
  ) {
    this.nodes = Array.from({ length: count }, (_, i) => new SteppedNode(`node-${i}-of-${count}`))
  }

  async open(): Promise<void> {
    const url = await sharedDatabase()
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
    const steps = this.nodes.map(({ passed }) => passed.length)
    for (const node of this.nodes) node.passed.length = 0
    return { outcome: `${answerOf(answers)}\n${await this.stateOf(world)}`, steps }
  }

  /**
   * Lets the first run so many statements, then the other so many, then each to its end: for every number of the first's, and each of
   * `others`. Fails where a run ends as no serial order does. Answers how many runs there were.
   */
  async checkPair(names: readonly [string, string], others: ReadonlyArray<number>): Promise<number> {
    const expected = await this.serialOutcomes(names)
    let runs = 0
    for (const first of [0, 1] as const) {
      for (const other of others) {
        for (let one = 1, steps = Number.POSITIVE_INFINITY; one < steps; one++) {
          let count = 0
          const made = await this.interleaved(names, (standing) => {
            count++
            const wanted = this.nodes[count <= one || count > one + other ? first : 1 - first]!
            return standing.includes(wanted) ? wanted : standing[0]!
          })
          runs++
          steps = made.steps[first]!
          if (!expected.includes(made.outcome)) {
            expect(
              made.outcome,
              `${names[first]} stopped after ${one} statements, ${other} of the other`
            ).toBe(expected[0])
          }
        }
      }
    }
    return runs
  }
}
