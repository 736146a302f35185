/** A page deep in an order is found by walking one stretch: of a quarter of the leads it is found four times as fast. */
import type { Connection } from "../Connection.ts"
import { rebuildStretches } from "./0003_positions.ts"

export const shorterStretches = (sql: Connection): void => {
  for (const statement of rebuildStretches(1024)) sql.run(statement)
}
