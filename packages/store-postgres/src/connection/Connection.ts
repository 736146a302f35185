/** What the modules of the store use of a connection: statements, each one round trip. */
import pg from "pg"
import type { StoreKeys } from "../sealing/StoreKeys.ts"
import { QueryFailure } from "./Failures.ts"
import type { StatementTexts } from "./StatementTexts.ts"

/** A parameter that is no array. Numbers above 2^53 never occur. */
export type Scalar = string | number | boolean | Buffer | null

/** A parameter of a statement; arrays, also those of `binaryArray`, go to `unnest` and `= ANY`. */
export type Param = Scalar | ReadonlyArray<Scalar>

/**
 * A connection within a transaction, or one that runs single statements. Tables are written with their schema, as in
 * `lead_signals.lead`: a store in another schema replaces it. bigint columns are read as numbers. A statement fails with the
 * driver's error, which the caller lets pass: `Database` turns it into `StoreUnavailable`, or tries the transaction again.
 */
export interface Connection {
  /** All rows. */
  readonly all: <Row>(text: string, params?: ReadonlyArray<Param>) => Promise<ReadonlyArray<Row>>
  /** The first row; undefined when there is none. */
  readonly get: <Row>(text: string, params?: ReadonlyArray<Param>) => Promise<Row | undefined>
  /** The number of rows that the statement changed. */
  readonly run: (text: string, params?: ReadonlyArray<Param>) => Promise<number>
  /** The keys under which the database is encrypted; null where it is not. */
  readonly keys: StoreKeys | null
}

/** What is used of a client of `pg`, the store's own or a host's. */
export interface Queryable {
  readonly query: (config: pg.QueryConfig) => Promise<pg.QueryResult>
}

const int8 = 20

/** The parsers of each statement: a host's client has others. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
}

/** A statement of the store over the client. It fails when the server has not answered after `timeoutMillis`. */
export const connectionOf = (
  client: Queryable,
  texts: StatementTexts,
  timeoutMillis: number,
  keys: StoreKeys | null = null
): Connection => {
  const query = async (text: string, params: ReadonlyArray<Param> = []): Promise<pg.QueryResult> => {
    try {
      const values = params as Array<unknown>
      const config = { ...texts.of(text), values, types, query_timeout: timeoutMillis }
      return await client.query(config)
    } catch (error) {
      throw new QueryFailure(error)
    }
  }
  return {
    all: async <Row>(text: string, params?: ReadonlyArray<Param>) =>
      (await query(text, params)).rows as ReadonlyArray<Row>,
    get: async <Row>(text: string, params?: ReadonlyArray<Param>) =>
      (await query(text, params)).rows[0] as Row | undefined,
    run: async (text, params) => (await query(text, params)).rowCount ?? 0,
    keys
  }
}
