/**
 * The floor of deliveries: what must be read and written so that each body is on the disk before its post, and each attempt after it. It
 * decides nothing, checks no address and keeps no counters; it takes so many deliveries in a transaction, posts them at once with undici, and
 * records all of them in the next. The file is of no use afterwards.
 */
import Database from "better-sqlite3"

interface Due {
  readonly seq: number
  readonly id: string
  readonly event: string
  readonly occurred_at: number
  readonly is_first_activity: number
  readonly shown: string
  readonly engagement: string
}

/** A delivery to post: its id, and the body that is on the disk. */
export interface PostedDelivery {
  readonly id: string
  readonly body: string
}

/** Opens the file, and answers the loop that delivers. */
export const makeDeliveriesAlone = (filename: string) => {
  const db = new Database(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.pragma("foreign_keys = ON")
  db.pragma("secure_delete = ON")
  db.pragma("cache_size = -65536")
  const due = db.prepare<[number, number], Due>(
    `SELECT d.seq, d.id, e.event, e.occurred_at, e.is_first_activity, l.shown, json_object(
         'id', g.id, 'type', g.type, 'commentText', g.comment_text, 'postUrl', g.post_url, 'postContent', g.post_content,
         'postPostedAt', g.post_posted_at, 'postAuthor', g.post_author, 'postAuthorDetail', json(g.post_author_detail),
         'emittedAt', g.emitted_at, 'trackedAt', g.tracked_at) AS engagement
       FROM (SELECT seq FROM delivery WHERE webhook_id = 1 AND state = 'pending' AND due_at <= ? ORDER BY due_at, seq LIMIT ?) q
         CROSS JOIN delivery d ON d.seq = q.seq
         CROSS JOIN event e ON e.position = d.position
         CROSS JOIN lead l ON l.id = e.lead_id
         CROSS JOIN engagement g ON g.brand_id = e.brand_id AND g.id = e.engagement_id`
  )
  const insertBody = db.prepare("INSERT INTO delivery_body (seq, body) VALUES (?, ?)")
  const lease = db.prepare("UPDATE delivery SET lease = ?, due_at = ? WHERE seq = ?")
  const finish = db.prepare(
    `UPDATE delivery SET state = 'delivered', attempts = 1, lease = NULL, due_at = NULL, finished_at = ? WHERE seq = ?`
  )
  const insertAttempt = db.prepare(
    "INSERT INTO attempt (delivery_seq, number, at, duration_millis, status, response, format) VALUES (?, 1, ?, 1, 200, '', 'envelope')"
  )
  const deleteBody = db.prepare("DELETE FROM delivery_body WHERE seq = ?")
  let seqs: ReadonlyArray<number> = []

  const takeNext = db.transaction((limit: number): ReadonlyArray<PostedDelivery> => {
    const now = Date.now()
    for (const seq of seqs) {
      finish.run(now, seq)
      insertAttempt.run(seq, now)
      deleteBody.run(seq)
    }
    const rows = due.all(now, limit)
    seqs = rows.map(({ seq }) => seq)
    return rows.map(({ engagement, event, id, is_first_activity, occurred_at, seq, shown }) => {
      const data = `{"lead":${shown},"engagement":${engagement},"isFirstActivity":${is_first_activity === 1}}`
      const body = `{"id":"${id}","event":"${event}","occurredAt":"${new Date(occurred_at).toISOString()}","data":${data}}`
      insertBody.run(seq, body)
      lease.run("token", now + 30_000, seq)
      return { id, body }
    })
  })

  return {
    /** Records those that it took before as delivered, and takes the next: none when all are. */
    takeNext: (limit: number): ReadonlyArray<PostedDelivery> => takeNext.immediate(limit),
    close: (): void => void db.close()
  }
}
