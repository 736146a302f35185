/** Every store port of Lead Signals, kept in a Postgres database that several nodes share. */
export { Database } from "./connection/Database.ts"
export { check, type Checked } from "./maintenance/Check.ts"
export { exclusively } from "./maintenance/ExclusiveLock.ts"
