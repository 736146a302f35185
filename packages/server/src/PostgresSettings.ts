/** Reads the mode of a pooler between a node and its Postgres. [RUN-2] */
import { Either } from "effect"
import type { PostgresStoreOptions } from "@lead-signals/store-postgres"
import { type Environment, valueOf } from "./Variables.ts"

/**
 * `session`: a connection of the node is one of the server, as without a pooler. `transaction`: the pooler hands connections on between
 * transactions, and loses prepared statements. `transaction-prepared`: it keeps them, as PgBouncer does since 1.21.
 */
export type PoolerMode = "session" | "transaction" | "transaction-prepared"

const variable = "LEAD_SIGNALS_POSTGRES_POOLER"

/** The options of the store for each mode. */
export const poolerOptions: Readonly<
  Record<PoolerMode, Pick<PostgresStoreOptions, "pooled" | "preparedStatements">>
> = {
  session: {},
  transaction: { pooled: true, preparedStatements: false },
  "transaction-prepared": { pooled: true }
}

/** Left: the message of a bad value. */
export const readPooler = (environment: Environment): Either.Either<PoolerMode, string> => {
  const value = valueOf(environment, variable) ?? "session"
  return Object.hasOwn(poolerOptions, value)
    ? Either.right(value as PoolerMode)
    : Either.left(`${variable} takes session, transaction or transaction-prepared.`)
}
