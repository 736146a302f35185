/** What a command says of a database that can't be used, and the code it ends with. [CLI-1] */
import { Failed, usage } from "@lead-signals/command-line"
import type { StoreUnavailable } from "@lead-signals/domain"
import { encryptionAdvice, isAboutKey } from "../StartFailures.ts"

/**
 * Begins with the sentence's first words, such as "The database can't be used", and ends with `then`, which says how to go on.
 * A database that another encryption key would open, or none, is a setting that can't be used: the command ends with 2, says which
 * variables to look at, and not how to go on.
 */
export const databaseFailed =
  (begin: string, then = "") =>
  ({ cause, reason }: StoreUnavailable): Failed =>
    isAboutKey(cause)
      ? usage(`${begin}: ${reason}. ${encryptionAdvice}.`)
      : new Failed({ message: `${begin}: ${reason}.${then === "" ? "" : ` ${then}`}` })

/** The failure of a command whose database can't be opened or read. */
export const unusable = databaseFailed("The database can't be used")
