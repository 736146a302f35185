/** Nodes whose transactions a test steps, over one schema, with all that tells whether they ended as one after the other. */
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect } from "effect"
import pg from "pg"
import { newSchema, sharedDatabase } from "./Databases.ts"
import { firstLine, interleave, SteppedNode } from "./Stepper.ts"
import { createWorld, methods, type Needs, runtimeOf, stillClock, type World } from "./WritingMethods.ts"

const answerOf = (exit: unknown): string =>
  JSON.stringify(exit, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** Stands for a call that passes over what others have locked. */
const findsNothing = "a call that finds nothing"

/** Whether the method passes over what others have locked. */
const passesOver = (name: string): boolean => /^(?:lease|pruning)/.test(name)

const workOf = (name: string) => methods[name] ?? (() => Effect.succeed([]))

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

export class SteppedStore {
  private readonly schema = newSchema()
  readonly nodes: ReadonlyArray<SteppedNode>
  private admin!: pg.Client
  private runtimes: ReadonlyArray<ReturnType<typeof runtimeOf>> = []

  constructor(count: number) {
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
    return this.run(0, createWorld)
  }

  /** All that the ports and the counters show of the world, without what only the order of calls decides. */
  private async stateOf({ brand }: World): Promise<string> {
    const { schema } = this
    const tables = {
      leads: `SELECT ext_id, flags, score1, created_at, updated_at, signal_ids::jsonb = '[]'::jsonb AS has_none FROM ${schema}.lead WHERE brand_id = $1`,
      engagements: `SELECT e.id, l.ext_id, e.author_ext_id, e.post_author_detail FROM ${schema}.engagement e LEFT JOIN ${schema}.lead l ON l.brand_id = e.brand_id AND l.id = e.lead_id WHERE e.brand_id = $1`,
      suppressed: `SELECT count(*)::int AS n FROM ${schema}.suppression WHERE brand_id = $1`,
      events: `SELECT e.event, e.engagement_id, e.is_first_activity, l.ext_id FROM ${schema}.event e LEFT JOIN ${schema}.lead l ON l.brand_id = e.brand_id AND l.id = e.lead_id WHERE e.brand_id = $1`,
      deliveries: `SELECT d.state, d.attempts, d.failures, d.lease IS NULL AS is_free, d.lease LIKE '%~' AS is_earlier, d.due_at, d.finished_at, d.resend_of IS NULL AS is_first, d.resent_as IS NULL AS is_last, b.body, e.event, e.engagement_id, w.id IS NULL AS is_orphan,
          d.resend_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${schema}.delivery o WHERE o.id = d.resend_of) AS dangles
        FROM ${schema}.delivery d LEFT JOIN ${schema}.delivery_body b ON b.brand_id = d.brand_id AND b.seq = d.seq
          LEFT JOIN ${schema}.event e ON e.brand_id = d.brand_id AND e.position = d.position LEFT JOIN ${schema}.webhook w ON w.id = d.webhook_id WHERE d.brand_id = $1`,
      bodies: `SELECT count(*)::int AS orphans FROM ${schema}.delivery_body b WHERE b.brand_id = $1 AND NOT EXISTS (SELECT 1 FROM ${schema}.delivery d WHERE d.brand_id = b.brand_id AND d.seq = b.seq)`,
      attempts: `SELECT number, status, response FROM ${schema}.attempt WHERE brand_id = $1`,
      webhooks: `SELECT enabled, disabled_reason, failing_since FROM ${schema}.webhook WHERE brand_id = $1`,
      signals: `SELECT name, deleted_at FROM ${schema}.signal WHERE brand_id = $1`,
      brand: `SELECT name, deletion_started_at, deleted_at FROM ${schema}.brand WHERE id = $1`,
      // Counters are what there is to be counted.
      deliveryCounts: `SELECT coalesce(c.state, d.state) AS state, coalesce(c.n, 0) - coalesce(d.n, 0) AS error FROM
          (SELECT state, sum(n)::int AS n FROM ${schema}.delivery_count WHERE brand_id = $1 GROUP BY state) c
          FULL JOIN (SELECT state, count(*)::int AS n FROM ${schema}.delivery WHERE brand_id = $1 GROUP BY state) d ON d.state = c.state
          WHERE coalesce(c.n, 0) <> coalesce(d.n, 0)`,
      leadCounts: `SELECT coalesce(sum(n), 0)::int - (SELECT count(*) FROM ${schema}.lead WHERE brand_id = $1)::int AS error FROM ${schema}.lead_count WHERE brand_id = $1 AND signal_id = 0`
    }
    const state: Record<string, ReadonlyArray<string>> = {}
    for (const [name, text] of Object.entries(tables)) {
      const { rows } = await this.admin.query(text, [brand.id])
      state[name] = rows.map((row) => JSON.stringify(row)).sort()
    }
    return JSON.stringify(state, null, 1)
  }

  /** The answers and the end state of the methods, one after the other in this order. */
  private async serially(names: ReadonlyArray<string>, order: ReadonlyArray<number>): Promise<string> {
    const world = await this.create()
    const answers: Array<unknown> = []
    for (const i of order) {
      answers[i] = await this.run(i, workOf(names[i]!)(world, `c${i}`)).then(
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
      names.map((name, i) => () => this.run(i, workOf(name)(world, `c${i}`))),
      this.admin,
      choose
    )
    const steps = this.nodes.map(({ passed }) => passed.length)
    for (const node of this.nodes) node.passed.length = 0
    return { outcome: `${answerOf(answers)}\n${await this.stateOf(world)}`, steps }
  }
}
