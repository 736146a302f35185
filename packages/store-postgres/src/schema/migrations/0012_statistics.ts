/**
 * Columns whose values ANALYZE must not copy into `pg_statistic`, where no erasure and no encryption reaches them: texts about persons, and
 * secrets. No plan needs their statistics.
 */
const columns: Readonly<Record<string, ReadonlyArray<string>>> = {
  brand: ["suppression_secret"],
  webhook: ["secrets"],
  lead: [
    "ext_id",
    "name",
    "name_key",
    "headline",
    "username",
    "title1",
    "li_profile_url",
    "profile_img_url",
    "company",
    "shown"
  ],
  lead_text: ["name_key", "headline_key"],
  lead_bucket: ["key"],
  engagement: [
    "comment_text",
    "post_url",
    "post_content",
    "post_author",
    "post_author_detail",
    "author_ext_id"
  ],
  delivery_body: ["body"],
  attempt: ["response"]
}

/**
 * The columns keep their type: naming it again is what removes the statistics that there are, without a superuser and without writing the
 * tables anew. Of the indexes the partial one of authors is built again, in about 3 s for a million engagements.
 */
export const statistics: string = Object.entries(columns)
  .map(([table, names]) => {
    const changes = names.map(
      (name) => `ALTER COLUMN ${name} TYPE text COLLATE "C", ALTER COLUMN ${name} SET STATISTICS 0`
    )
    return `ALTER TABLE lead_signals.${table} ${changes.join(", ")}`
  })
  .join(";\n")
