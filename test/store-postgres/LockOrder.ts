/** Runs a writing method and tells where it takes locks out of the order that all transactions keep. */
import { coveredBy, lockOrder } from "@lead-signals/store-postgres/internal"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, type Layer } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { makeSchema } from "../harness/MadeSchema.ts"
import { newKey, newSchema, sharedDatabase } from "./Databases.ts"
import {
  keysInOrder,
  type LockedRow,
  lockedRows,
  lockRow,
  placeOf,
  reverse,
  type Table
} from "./LockedRows.ts"
import { type MethodGroup, type Needs, runtimeOf, stillClock } from "./MethodGroup.ts"

/** What one statement of a method locked. */
interface LockingStatement {
  /** Its number among the statements of the call. */
  readonly n: number
  readonly text: string
  /** What the transaction held before. */
  readonly before: ReadonlyArray<LockedRow>
  readonly locked: ReadonlyArray<LockedRow>
}

/** Whether the statement waits for nobody. */
const passesOver = ({ text }: Pick<LockingStatement, "text">): boolean =>
  /SKIP LOCKED|pg_try_advisory/.test(text)

const isOrdered = ({ table }: LockedRow): boolean => (lockOrder as ReadonlyArray<string>).includes(table)
const named = ({ key, table }: LockedRow): string => `${table} ${key}`
const begun = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 120)

const rowTables = lockOrder.filter((table) => table !== "advisory")

type Order = ReadonlyMap<Table, ReadonlyArray<string>>

const comesBefore = (order: Order, a: LockedRow, b: LockedRow): boolean => {
  const [one, other] = [placeOf(order, a), placeOf(order, b)]
  return one.of < other.of || (one.of === other.of && one.within < other.within)
}

/** What of the statements is out of order, or changes rows that nothing covers. */
const violations = (statements: ReadonlyArray<LockingStatement>, order: Order): ReadonlyArray<string> =>
  statements.flatMap((statement) => {
    if (passesOver(statement)) return []
    const { before, locked, text } = statement
    const held = new Set(before.map(named))
    return locked.flatMap((row) => {
      if (isOrdered(row)) {
        const after = before.find((each) => isOrdered(each) && !comesBefore(order, each, row))
        return after === undefined ? [] : [`locks ${named(row)} after ${named(after)}: ${begun(text)}`]
      }
      const covers: ReadonlyArray<string> = coveredBy[row.table as keyof typeof coveredBy]
      return covers.some(
        (table) => held.has(`${table} ${row.key}`) || (table === "brand_version" && isVersionHeld(held))
      )
        ? []
        : [`changes ${named(row)} and holds no ${covers.join(" or ")} of it: ${begun(text)}`]
    })
  })

const isVersionHeld = (held: ReadonlySet<string>): boolean =>
  [...held].some((name) => name.startsWith("brand_version "))

export class LockOrderCheck<World extends { readonly brand: { readonly id: string } }> {
  private readonly schema = newSchema()
  private readonly node = `locks-of-${this.schema}`
  private admin!: pg.Client
  private holder!: pg.Client
  private runtime!: ReturnType<typeof runtimeOf>
  private before: (text: string) => Promise<void> = () => Promise.resolve()

  constructor(
    private readonly group: MethodGroup<World>,
    private readonly isEncrypted: boolean
  ) {}

  async open(): Promise<void> {
    const url = await sharedDatabase()
    await makeSchema(url, this.schema)
    ;[this.admin, this.holder] = [
      new pg.Client({ connectionString: url }),
      new pg.Client({ connectionString: url })
    ]
    await this.admin.connect()
    await this.holder.connect()
    const store: Layer.Layer<any, unknown> = PostgresStore.layer({
      url,
      schema: this.schema,
      applicationName: this.node,
      maxConnections: 1,
      notifications: false,
      beforeStatement: (text) => this.before(text),
      ...(this.isEncrypted ? { encryptionKey: newKey() } : {})
    })
    this.runtime = runtimeOf(store)
    await this.runtime.runPromise(Effect.void)
    // The connection that has migrated the schema holds an advisory lock until it has ended.
    const migrating = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND a.application_name = $1`
    while ((await this.admin.query(migrating, [this.node])).rowCount! > 0) await sleep(5)
  }

  async close(): Promise<void> {
    await this.runtime?.dispose()
    await this.admin?.end()
    await this.holder?.end()
  }

  private run<A, E>(work: Effect.Effect<A, E, Needs>): Promise<A> {
    return this.runtime.runPromise(Effect.withClock(work, stillClock))
  }

  /** A world whose rows lie in the opposite of their order, and the order. */
  private async create(): Promise<{ readonly world: World; readonly order: Order }> {
    this.before = () => Promise.resolve()
    await this.admin.query(
      `UPDATE ${this.schema}.webhook SET enabled = false, disabled_reason = 'over' WHERE enabled`
    )
    const world = await this.run(this.group.createWorld)
    const order = new Map<Table, ReadonlyArray<string>>()
    for (const table of rowTables) {
      await reverse(this.admin, this.schema, table, world.brand.id)
      order.set(table, await keysInOrder(this.admin, this.schema, table, world.brand.id))
    }
    return { world, order }
  }

  private held(world: World): Promise<ReadonlyArray<LockedRow>> {
    return lockedRows(this.admin, this.schema, { brandId: world.brand.id, node: this.node })
  }

  /** Runs the method alone. Answers what each of its statements locked; what later transactions of it lock has begun anew. */
  private async record(name: string): Promise<{
    readonly statements: ReadonlyArray<LockingStatement>
    readonly order: Order
    readonly world: World
  }> {
    const { order, world } = await this.create()
    const statements: Array<LockingStatement> = []
    let n = 0
    let last = ""
    let before: ReadonlyArray<LockedRow> = []
    this.before = async (text) => {
      const now = last === "" || last === "COMMIT" ? [] : await this.held(world)
      const known = new Set(before.map(named))
      const seen = new Set<string>()
      const locked = now.filter((row) => {
        const isNew = !known.has(named(row)) && !seen.has(named(row))
        seen.add(named(row))
        return isNew
      })
      if (locked.length > 0) statements.push({ n: n - 1, text: last, before, locked })
      before = text === "COMMIT" ? [] : now
      last = text
      n++
    }
    await this.run(Effect.ignore(this.group.methods[name]!(world, "c")))
    return { statements, order, world }
  }

  /** Whether the node waits for a lock. */
  private async isBlocked(): Promise<boolean> {
    const { rowCount } = await this.admin.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
      [this.node]
    )
    return rowCount! > 0
  }

  /**
   * Lets the method run up to a statement that locks several rows of a table, while another session holds the first of them: the others must
   * be free until that is given. Answers those that are not, or that the statement does not wait.
   */
  private async whileFirstIsHeld(
    name: string,
    at: number,
    table: Table,
    { keysOf, world }: { readonly world: World; readonly keysOf: ReadonlyArray<string> }
  ): Promise<ReadonlyArray<string>> {
    const keys = keysOf
    const [first] = keys
    const found: Array<string> = []
    const state = { hasEnded: false }
    let n = 0
    let watching: Promise<void> = Promise.resolve()
    const watch = async (): Promise<void> => {
      try {
        while (!state.hasEnded && !(await this.isBlocked())) await sleep(1)
        if (state.hasEnded) {
          found.push(`does not wait for ${table} ${first}`)
          return
        }
        const held = new Set((await this.held(world)).map(named))
        for (const key of keys.slice(1))
          if (held.has(`${table} ${key}`)) found.push(`locks ${table} ${key} before ${first}`)
      } finally {
        await this.holder.query("ROLLBACK")
      }
    }
    this.before = async () => {
      if (n++ !== at) {
        state.hasEnded ||= n > at + 1
        return
      }
      await this.holder.query("BEGIN")
      await lockRow(this.holder, this.schema, { table, key: first! }, world.brand.id)
      watching = watch()
    }
    await this.run(Effect.ignore(this.group.methods[name]!(world, "c")))
    state.hasEnded = true
    await watching
    return found
  }

  /** What of the method is out of order; and how many locks it took, so that a check of nothing is no success. */
  async check(name: string): Promise<{ readonly problems: ReadonlyArray<string>; readonly locks: number }> {
    const { order, statements, world } = await this.record(name)
    const problems = [...violations(statements, order)]
    for (const statement of statements) {
      if (passesOver(statement)) continue
      const advisory = statement.locked
        .flatMap(({ key, table }) => (table === "advisory" ? [BigInt(key)] : []))
        .sort((a, b) => (a < b ? -1 : 1))
      // What they lock depends on the world alone, also when the call has been made before.
      if (advisory.length > 1) {
        const found = await this.whileFirstIsHeld(name, statement.n, "advisory", {
          world,
          keysOf: advisory.map(String)
        })
        problems.push(...found.map((each) => `${each}: ${begun(statement.text)}`))
      }
      for (const table of rowTables) {
        const places = statement.locked
          .filter((row) => row.table === table)
          .map(({ key }) => order.get(table)!.indexOf(key))
          .filter((place) => place >= 0)
          .sort((a, b) => a - b)
        if (places.length < 2) continue
        const fresh = await this.create()
        const keysOf = places.map((place) => fresh.order.get(table)![place]!)
        const found = await this.whileFirstIsHeld(name, statement.n, table, { world: fresh.world, keysOf })
        problems.push(...found.map((each) => `${each}: ${begun(statement.text)}`))
      }
    }
    return { problems, locks: statements.reduce((sum, { locked }) => sum + locked.length, 0) }
  }
}
