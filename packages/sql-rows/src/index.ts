/**
 * The rows that the SQL stores have in common, and the values of the domain that they stand for. A row has the columns of
 * `copyTables`, the tables in the form that no store owns. The package imports nothing that needs Effect, so worker threads can use it.
 */
export * from "./DeliveryRows.ts"
export * from "./DirectoryRows.ts"
export * from "./Ids.ts"
export * from "./LeadConditions.ts"
export * from "./LeadRows.ts"
export * from "./OperatorRows.ts"
export * from "./RowOf.ts"
