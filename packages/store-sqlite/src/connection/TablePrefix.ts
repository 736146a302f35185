/**
 * Names of tables, indexes and triggers with a prefix, for a database that has tables of others. The store's SQL has the names of
 * `schema.sql`; `prefixed` puts the prefix before each where a statement names one.
 */

/** Every name that a migration has ever given, so that one that renames or drops finds it under its prefix. */
const names = new Set(
  `migration brand api_key api_key_by_brand signal signal_by_brand campaign campaign_by_brand reading reading_by_day lead
   lead_by_created lead_by_updated lead_by_name lead_by_score lead_by_score_desc lead_by_flags lead_signal lead_signal_by_lead
   lead_signal_in_order engagement engagement_by_lead engagement_by_author suppression event event_by_lead webhook
   webhook_by_brand delivery delivery_due delivery_by_webhook delivery_by_state delivery_dead delivery_finished pruning access_token audit_entry audit_entry_by_time audit_entry_by_brand idempotency_record
   idempotency_record_by_time idempotency_record_by_actor delivery_by_event delivery_body
   attempt attempt_by_batch delivery_count lead_count lead_day_count lead_stretch lead_stretch_long lead_stretch_by_length lead_change lead_text
   lead_gram segment_merge commits delivery_inserted delivery_deleted delivery_settled lead_inserted lead_deleted lead_reflagged
   lead_touched lead_caught lead_uncaught lead_caught_otherwise lead_added lead_changed lead_removed brand_inserted lead_placed
   lead_gone lead_placed_anew lead_moved_created lead_moved_updated lead_moved_name lead_moved_score lead_moved_scoreDesc
   lead_shown_otherwise activity_hour delivery_hour activity_lead_inserted activity_lead_deleted activity_lead_caught
   activity_lead_uncaught activity_engagement_inserted activity_engagement_deleted delivery_hour_inserted delivery_hour_finished
   delivery_hour_deleted secret_wrapping removal removal_journal removal_of_person removal_of_key removal_of_token removal_of_signal
   removal_of_campaign removal_of_webhook removal_of_brand changed_lead changed_lead_by_position changed_lead_removed
   delivery_in_order`.split(/\s+/)
)

/** Names that columns have, too: they are a table's only behind one of `beforeTables`. */
const ofColumnsToo = new Set(["event"])

const beforeTables = new Set(["FROM", "JOIN", "INTO", "UPDATE", "TABLE", "ON", "REFERENCES", "EXISTS"])

/** A text, a quoted name, a name or number, or any other character. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[^\s\w]/g

/** The statement with the prefix before each name of the store's. A column, an alias behind AS, and a text stay as they are. */
export const prefixed = (prefix: string, statement: string): string => {
  let before = ""
  return statement.replace(token, (text) => {
    const behind = before
    before = text.toUpperCase()
    if (!names.has(text) || behind === "." || behind === "AS") return text
    return ofColumnsToo.has(text) && !beforeTables.has(behind) ? text : `${prefix}${text}`
  })
}

/** A prefix begins with a letter or an underscore, so that a name needs no quotes. */
export const isPrefix = (text: string): boolean => /^[A-Za-z_]\w{0,62}$/.test(text)
