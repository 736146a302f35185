/** Nodes of a service over one schema of the tests' Postgres, and a look at the tables behind them. */
import { type Entropy, type StorePorts, type StoreUnavailable, WebhookTargets } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { madeSchema, sharedDatabase } from "./Databases.ts"

export type Node = ManagedRuntime.ManagedRuntime<StorePorts | Entropy | WebhookTargets, StoreUnavailable>

/** Lets every target of a webhook pass. */
export const anyTarget = Layer.succeed(WebhookTargets, { check: Effect.succeed })

/** Some nodes over a schema of empty tables, and a client that reads its tables. */
export const openNodes = async (
  count: number,
  listing: NonNullable<PostgresStore.PostgresSchemaOptions["listing"]> = {}
) => {
  const [url, schema] = [await sharedDatabase(), await madeSchema()]
  const nodes: ReadonlyArray<Node> = Array.from({ length: count }, () =>
    ManagedRuntime.make(
      Layer.mergeAll(
        PostgresStore.layer({ url, schema, notifications: false, maxConnections: 4, listing }),
        webCrypto,
        anyTarget
      )
    )
  )
  for (const node of nodes) await node.runPromise(Effect.void)
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  return {
    nodes,
    schema,
    client,
    /** The rows of a query over the schema's tables; integers are numbers. */
    rows: async <Row>(text: string): Promise<ReadonlyArray<Row>> =>
      (await client.query(`SELECT to_json(q) AS row FROM (${text}) q`)).rows.map(({ row }) => row),
    close: async (): Promise<void> => {
      await client.end()
      for (const node of nodes) await node.dispose()
    }
  }
}
