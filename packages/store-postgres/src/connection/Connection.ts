/** What the modules of the store use of a connection: statements, each one round trip. */

/** A parameter of a statement. Numbers above 2^53 never occur; arrays go to `unnest` and `= ANY`. */
export type Param = string | number | boolean | null | ReadonlyArray<string | number | boolean | null>

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
}
