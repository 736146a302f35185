/** Every store port of Lead Signals, kept in a Postgres database that several nodes share. */
export { Database } from "./connection/Database.ts"
