/**
 * Settings of the planner within a transaction. Tables without statistics, or with those of an earlier size, must not make it read a
 * table from end to end or sort what an index has in order; statements that need a sort gather their rows first. A search that finds many
 * leads keeps 64 bytes for each page of theirs: with less memory it would compare every lead of a page instead.
 */
const settings: ReadonlyArray<readonly [name: string, value: string]> = [
  ["enable_seqscan", "off"],
  ["enable_sort", "off"],
  ["enable_nestloop", "on"],
  ["jit", "off"],
  ["work_mem", "64MB"],
  ["max_parallel_workers_per_gather", "0"]
]

/** Columns of a transaction's first query, which set them for all later statements of the transaction. */
export const plannerSettings = settings
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(", ")

/** Keeps later statements of the transaction from reading a whole table, where no other statement brings the settings. */
export const settlePlanner = `SELECT ${plannerSettings}`

/** Makes the following statements of the transaction join by hash, whatever the planner thinks of the tables' sizes. */
export const withoutNestedLoops = "SELECT set_config('enable_nestloop', 'off', true)"

/** Takes `withoutNestedLoops` back. */
export const withNestedLoops = "SELECT set_config('enable_nestloop', 'on', true)"

/** The names of the settings, for a transaction that goes on with other statements. */
export const plannerSettingNames: ReadonlyArray<string> = settings.map(([name]) => name)
