/**
 * The index of each order with all that filters test of a lead, texts apart: a list reads the rows of no leads but its own. Each is built beside
 * the one of the same order, whose place it takes.
 */
const orders: Readonly<Record<string, readonly [key: string, included: string]>> = {
  lead_by_created: ["created_at", "flags, updated_at, signal_ids"],
  lead_by_updated: ["updated_at", "flags, created_at, signal_ids"],
  lead_by_name: ["name_key", "flags, created_at, updated_at, signal_ids"],
  lead_by_score: ["score_rank", "flags, created_at, updated_at, signal_ids"],
  lead_by_score_desc: ["score_rank_desc", "flags, created_at, updated_at, signal_ids"]
}

/** The name under which an index is built. */
const built = (index: string): string => `${index}_covering`

/** Lists of signals that are too long for an entry of an index: `lead_signal` has these leads' signals. See `signalIdsColumn`. */
export const shortSignalLists = `
UPDATE lead_signals.lead SET signal_ids = '[]' WHERE octet_length(name_key) + octet_length(signal_ids) > 2000`

/** The statement that builds each new index beside the old one, by the new one's name; outside of a transaction, without keeping writes waiting. */
export const coveringOrderIndexes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(orders).map(([index, [key, included]]) => [
    built(index),
    `CREATE INDEX CONCURRENTLY ${built(index)} ON lead_signals.lead (brand_id, ${key}, id) INCLUDE (${included})`
  ])
)

/** Drops the old indexes and gives the new ones, which must be built, their names. */
export const coveringOrders = Object.keys(orders)
  .map(
    (index) => `
DROP INDEX lead_signals.${index};
ALTER INDEX lead_signals.${built(index)} RENAME TO ${index}`
  )
  .join(";")
