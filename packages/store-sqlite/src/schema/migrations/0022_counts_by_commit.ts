/**
 * The store counts what it inserts and updates, once a commit. Triggers go on counting what is deleted, which statements choose by
 * conditions. The tables stay as they are, so this takes no time.
 */

const dropped = `delivery_inserted delivery_settled lead_inserted lead_touched lead_reflagged lead_caught
  lead_caught_otherwise lead_added lead_changed lead_placed lead_placed_anew lead_moved_created lead_moved_updated
  lead_moved_name lead_moved_score lead_moved_scoreDesc activity_lead_inserted activity_lead_caught
  activity_engagement_inserted delivery_hour_inserted delivery_hour_finished`.split(/\s+/)

/** Drops the triggers that count inserts and updates. */
export const countsByCommit: ReadonlyArray<string> = dropped.map((trigger) => `DROP TRIGGER ${trigger}`)
