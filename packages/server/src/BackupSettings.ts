/** Reads the variables of scheduled backups. [REST-6] */
import { Retention } from "@lead-signals/domain"
import { Either } from "effect"
import { hasControls, kindOf } from "./DatabaseLocation.ts"
import { type Environment, valueOf } from "./Variables.ts"

/** When backups are made, and which are kept. */
export interface BackupSettings {
  /** The folder of the backups; none are made without. */
  readonly folder: string
  /** Milliseconds from one backup to the next. */
  readonly intervalMillis: number
  /** Backups that are kept; an older one goes when a newer one is whole. */
  readonly copies: number
}

const [defaultInterval, defaultCopies] = ["1d", "7"]
const maxCopies = 1000

const durations = "takes a time from 1m to 36500d in minutes, hours or days, like 6h or 1d"

/** Left: the message of the first bad value. Null where no folder is set. */
export const readBackups = (
  environment: Environment,
  database: string
): Either.Either<BackupSettings | null, string> => {
  const folder = valueOf(environment, "LEAD_SIGNALS_BACKUP_FOLDER")
  const interval = Either.getOrNull(
    Retention.parse(valueOf(environment, "LEAD_SIGNALS_BACKUP_INTERVAL") ?? defaultInterval)
  )
  const copies = valueOf(environment, "LEAD_SIGNALS_BACKUP_COPIES") ?? defaultCopies
  if (interval === null) return Either.left(`LEAD_SIGNALS_BACKUP_INTERVAL ${durations}.`)
  if (!/^[0-9]{1,4}$/.test(copies) || Number(copies) < 1 || Number(copies) > maxCopies)
    return Either.left(`LEAD_SIGNALS_BACKUP_COPIES takes an integer from 1 to ${maxCopies}.`)
  if (folder === undefined) return Either.right(null)
  switch (kindOf(database)) {
    case "memory":
      return Either.left(
        "LEAD_SIGNALS_BACKUP_FOLDER takes a folder for backups of a SQLite file, and a store in memory has none."
      )
    case "postgres":
      return Either.left(
        "LEAD_SIGNALS_BACKUP_FOLDER takes a folder for backups of a SQLite file; back Postgres up by its own tools: pg_dump, or pg_basebackup with an archive."
      )
    case "sqlite":
      if (hasControls(folder))
        return Either.left(
          "LEAD_SIGNALS_BACKUP_FOLDER takes a folder without control characters, such as a carriage return at its end."
        )
      return Either.right({ folder, intervalMillis: interval, copies: Number(copies) })
  }
}
