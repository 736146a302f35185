/** The work on the file itself, beside every store. */
import Database from "better-sqlite3"

export const raw = <A>(filename: string, work: (db: Database.Database) => A): A => {
  const db = new Database(filename)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
