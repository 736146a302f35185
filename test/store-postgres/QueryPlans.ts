/** The plans of the statements that a piece of work runs, as the server makes them for these parameters and for any. */
import type { Connection, Param } from "@lead-signals/store-postgres/internal"
import pg from "pg"

/** A node of a plan, as EXPLAIN answers it. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly "CTE Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Lossy Heap Blocks"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

export interface ExplainedStatement {
  readonly text: string
  /** The plan for the parameters, with what was read if it was run. */
  readonly plan: PlanNode
  /** The plan for whatever parameters. */
  readonly generic: PlanNode
  /** Milliseconds in the server. */
  readonly millis: number
}

/** Gives every table and index the statistics of one with few rows. */
export const setStatisticsOfFewRows = (client: pg.Client): Promise<unknown> =>
  client.query(
    "UPDATE pg_class SET reltuples = 10, relpages = 1 WHERE relnamespace = 'lead_signals'::regnamespace AND relkind IN ('r', 'i')"
  )

/** Rows that the node has read, in all its loops: those that it answered, and those that it dropped. */
export const rowsReadBy = (node: PlanNode): number =>
  (node["Actual Rows"]! +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0)) *
  node["Actual Loops"]!

export const nodesOf = (plan: PlanNode): ReadonlyArray<PlanNode> => [
  plan,
  ...(plan.Plans ?? []).flatMap(nodesOf)
]

const literal = (value: Param): string => {
  // A generic plan does not depend on the parameters, and no literal is in the binary format.
  if (value === null || Buffer.isBuffer(value)) return "NULL"
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value))
  const elements = (value as ReadonlyArray<Param>).map((each) =>
    each === null ? "NULL" : `"${String(each).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
  )
  return pg.escapeLiteral(`{${elements.join(",")}}`)
}

const types = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
}

/** A connection over the client. `onStatement` is called before each statement, and with its parameters. */
export const connectionOver = (
  client: pg.ClientBase,
  onStatement: (text: string, params: ReadonlyArray<Param>) => Promise<void> = async () => {}
): Connection => {
  const query = async (text: string, params: ReadonlyArray<Param> = []) => {
    await onStatement(text, params)
    return client.query({ text, values: [...params], types })
  }
  return {
    all: async <Row>(text: string, params?: ReadonlyArray<Param>) =>
      (await query(text, params)).rows as ReadonlyArray<Row>,
    get: async <Row>(text: string, params?: ReadonlyArray<Param>) =>
      (await query(text, params)).rows[0] as Row | undefined,
    run: async (text, params) => (await query(text, params)).rowCount ?? 0,
    keys: null
  }
}

/** Runs the work in a transaction, which is taken back, and answers the plans of its statements. `isRun` says whether they are run for it. */
export const explained = async <A>(
  client: pg.ClientBase,
  work: (db: Connection) => Promise<A>,
  isRun = false
): Promise<{ readonly result: A; readonly statements: ReadonlyArray<ExplainedStatement> }> => {
  const statements: Array<ExplainedStatement> = []
  const explain = async (text: string, params: ReadonlyArray<Param>): Promise<void> => {
    const options = isRun ? "ANALYZE, TIMING OFF, BUFFERS OFF, FORMAT JSON" : "FORMAT JSON"
    // What it wrote is taken back: the work writes it.
    await client.query("SAVEPOINT explaining")
    const made = await client.query({ text: `EXPLAIN (${options}) ${text}`, values: [...params] })
    await client.query("ROLLBACK TO explaining")
    await client.query(`SET LOCAL plan_cache_mode = force_generic_plan; PREPARE explained AS ${text}`)
    const values = params.length === 0 ? "" : `(${params.map(literal).join(", ")})`
    const generic = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE explained${values}`)
    await client.query("DEALLOCATE explained; SET LOCAL plan_cache_mode = auto")
    const [json] = made.rows[0]["QUERY PLAN"]
    statements.push({
      text,
      plan: json.Plan,
      generic: generic.rows[0]["QUERY PLAN"][0].Plan,
      millis: json["Execution Time"] ?? 0
    })
  }
  await client.query("BEGIN")
  try {
    const result = await work(connectionOver(client, explain))
    return { result, statements }
  } finally {
    await client.query("ROLLBACK")
  }
}
