/** The planted bugs, by where they are. */
import { inAccess } from "./access.ts"
import { inArrivals } from "./arrivals.ts"
import type { Bug } from "./Bug.ts"
import { inEmitter } from "./emitter.ts"
import { inAudit, inIdempotency } from "./idempotency.ts"
import { inNewerParts } from "./newer.ts"
import { inHttp } from "./http.ts"
import { inMemoryStore } from "./memory.ts"
import { inViewsAndCounts } from "./oracles.ts"
import { inBatches, inChangeFeed, inCloudEvents, inOrderedWebhooks } from "./ordering.ts"
import { inSeveralProcesses } from "./processes.ts"
import { inRetention } from "./retention.ts"
import { inRules } from "./rules.ts"
import { inSessions } from "./sessions.ts"
import { inSqliteStore } from "./sqlite.ts"
import { overlooked } from "./overlooked.ts"
import { plantedByStrangers } from "./strangers.ts"
import { inUseCases } from "./usecases.ts"
import { inVocabulary } from "./vocabulary.ts"
import { inWidenedInputs } from "./widened.ts"

export type { Bug } from "./Bug.ts"

/** Every planted bug, in the sections and the order of simulations/BUGS.md. */
export const bugGroups: ReadonlyArray<readonly [where: string, bugs: ReadonlyArray<Bug>]> = [
  ["rules", inRules],
  ["use cases", inUseCases],
  ["memory store", inMemoryStore],
  ["SQLite store", inSqliteStore],
  ["HTTP and views", inHttp],
  ["emitter", inEmitter],
  ["reading of inputs", inVocabulary],
  ["views, counts, headers and exact instants", inViewsAndCounts],
  ["work of several processes, and in files", inSeveralProcesses],
  ["retention", inRetention],
  ["Idempotency-Keys", inIdempotency],
  ["the audit log", inAudit],
  ["credentials", inAccess],
  ["the order of events", inOrderedWebhooks],
  ["batches", inBatches],
  ["CloudEvents", inCloudEvents],
  ["the feed of changes", inChangeFeed],
  ["parts that came later", inNewerParts],
  ["sessions of browsers and live events", inSessions],
  ["what mutants had survived", inWidenedInputs],
  ["bodies that come in pieces or slowly, and long texts", inArrivals],
  ["what strangers planted", plantedByStrangers],
  ["what no rule had looked at", overlooked]
]

/** The same without the sections. */
export const bugs: ReadonlyArray<Bug> = bugGroups.flatMap(([, group]) => group)

/** Undefined where no bug has the name. */
export const bugNamed = (name: string): Bug | undefined => bugs.find((bug) => bug.name === name)
