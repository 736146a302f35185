/**
 * Reference (f): observations into the plain tables of Postgres, a transaction a call, on the disk when it is answered. A statement a table
 * writes all rows of the call from arrays. It writes what the product writes: lead, link, engagement, the events and a delivery. New people
 * only: it looks neither for changes of a known profile nor for erased people.
 */
import { randomBytes } from "node:crypto"
import pg from "pg"
import type { NewObservation } from "../NewObservation.ts"
import { lower } from "./PlainDatabase.ts"

const brandId = 1
const webhookId = 1

type Columns = Readonly<Record<string, string>>

const leadColumns: Columns = {
  brand_id: "bigint",
  ext_id: "text",
  name: "text",
  name_lower: "text",
  headline: "text",
  headline_lower: "text",
  username: "text",
  title1: "text",
  li_profile_url: "text",
  profile_img_url: "text",
  company_id: "bigint",
  signal_id: "bigint",
  qualified: "bigint",
  exported: "bigint",
  is_employee: "bigint",
  created_at: "bigint",
  updated_at: "bigint"
}

const engagementColumns: Columns = {
  brand_id: "bigint",
  id: "text",
  lead_id: "bigint",
  signal_id: "bigint",
  type: "text",
  comment_text: "text",
  post_url: "text",
  post_content: "text",
  post_posted_at: "bigint",
  post_author: "text",
  author_ext_id: "text",
  author_name: "text",
  author_first_name: "text",
  author_last_name: "text",
  author_headline: "text",
  author_username: "text",
  author_profile_url: "text",
  author_image_url: "text",
  emitted_at: "bigint",
  tracked_at: "bigint"
}

const eventColumns: Columns = {
  event: "text",
  brand_id: "bigint",
  lead_id: "bigint",
  engagement_id: "text",
  is_first_activity: "bigint",
  occurred_at: "bigint"
}

const deliveryColumns: Columns = {
  id: "text",
  webhook_id: "bigint",
  position: "bigint",
  state: "text",
  attempts: "bigint",
  due_at: "bigint",
  created_at: "bigint"
}

const insert = (table: string, columns: Columns, rest = ""): string =>
  `INSERT INTO ${table} (${Object.keys(columns).join(", ")})
   SELECT * FROM unnest(${Object.values(columns)
     .map((type, i) => `$${i + 1}::${type}[]`)
     .join(", ")}) ${rest}`

const arrays = (columns: Columns, rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  Object.keys(columns).map((column) => rows.map((row) => row[column]))

/** Opens a pool of four connections, and answers what takes observations in. */
export const makePlainPostgresIngest = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 4 })

  const write = async (client: pg.PoolClient, observations: ReadonlyArray<NewObservation>): Promise<void> => {
    const query = (name: string, text: string, values: Array<unknown>) => client.query({ name, text, values })
    const now = Date.now()
    const known = await query("known", "SELECT id FROM engagement WHERE brand_id = $1 AND id = ANY($2)", [
      brandId,
      observations.map(({ engagement }) => engagement.id)
    ])
    if (known.rowCount !== 0) throw new Error("an engagement is known")
    const leads = await query(
      "leads",
      insert(
        "lead",
        leadColumns,
        "ON CONFLICT (brand_id, ext_id) DO UPDATE SET updated_at = excluded.updated_at RETURNING id, ext_id"
      ),
      arrays(
        leadColumns,
        observations.map(({ person, signalId }) => ({
          brand_id: brandId,
          ext_id: person.extId,
          name: person.name,
          name_lower: lower(person.name),
          headline: person.headline,
          headline_lower: lower(person.headline),
          username: person.username,
          title1: person.title1,
          li_profile_url: person.liProfileUrl,
          profile_img_url: person.profileImgUrl,
          company_id: person.company.id,
          signal_id: Number(signalId),
          qualified: 0,
          exported: 0,
          is_employee: 0,
          created_at: now,
          updated_at: now
        }))
      )
    )
    const leadOf = new Map<string, number>(leads.rows.map(({ ext_id, id }) => [ext_id, Number(id)]))
    const ids = observations.map(({ person }) => leadOf.get(person.extId)!)
    await query(
      "links",
      "INSERT INTO lead_signal SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING",
      [ids, observations.map(({ signalId }) => Number(signalId))]
    )
    await query(
      "engagements",
      insert("engagement", engagementColumns),
      arrays(
        engagementColumns,
        observations.map(({ engagement, signalId }, i) => {
          const author = engagement.postAuthorDetail
          return {
            brand_id: brandId,
            id: engagement.id,
            lead_id: ids[i],
            signal_id: Number(signalId),
            type: engagement.type,
            comment_text: engagement.commentText,
            post_url: engagement.postUrl,
            post_content: engagement.postContent,
            post_posted_at: Date.parse(engagement.postPostedAt),
            post_author: engagement.postAuthor,
            author_ext_id: author.extId,
            author_name: author.name,
            author_first_name: author.firstName,
            author_last_name: author.lastName,
            author_headline: author.headline,
            author_username: author.username,
            author_profile_url: author.linkedinProfileUrl,
            author_image_url: author.profileImageUrl,
            emitted_at: Date.parse(engagement.emittedAt),
            tracked_at: Date.parse(engagement.trackedAt)
          }
        })
      )
    )
    const events = await query(
      "events",
      insert("event", eventColumns, "RETURNING position, event"),
      arrays(
        eventColumns,
        observations.flatMap(({ engagement }, i) =>
          ["lead2.created", "activity.detected"].map((event) => ({
            event,
            brand_id: brandId,
            lead_id: ids[i],
            engagement_id: engagement.id,
            is_first_activity: Number(event === "activity.detected"),
            occurred_at: now
          }))
        )
      )
    )
    await query(
      "deliveries",
      insert("delivery", deliveryColumns),
      arrays(
        deliveryColumns,
        events.rows
          .filter(({ event }) => event === "activity.detected")
          .map(({ position }) => ({
            id: `wh_${randomBytes(16).toString("hex")}`,
            webhook_id: webhookId,
            position: Number(position),
            state: "pending",
            attempts: 0,
            due_at: now,
            created_at: now
          }))
      )
    )
  }

  return {
    record: async (observations: ReadonlyArray<NewObservation>): Promise<number> => {
      const client = await pool.connect()
      try {
        await client.query("BEGIN")
        await write(client, observations)
        await client.query("COMMIT")
        return observations.length
      } catch (error) {
        await client.query("ROLLBACK")
        throw error
      } finally {
        client.release()
      }
    },
    close: () => pool.end()
  }
}
