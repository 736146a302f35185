/**
 * Code that no run of the simulator can come to although its program contains it: it runs in threads, behind sockets, on the command line or
 * for people who read logs. The tests alone judge its mutants.
 */

/** By what the ids of mutants match. */
export const outside: ReadonlyArray<readonly [id: RegExp, reason: string]> = [
  [
    /^http\/(?:node|ConnectionPipeline|UnreadBody|BodyPace|ParseErrorResponder)\b/,
    "A simulation has no sockets: its requests are whole when they come, and nobody is slow."
  ],
  [
    /^http\/(?:RequestLog|LogLine)\b|^http\/Authentication:spend:statement:1$|^http\/FastPath:knownParameters:/,
    "It is in the log of requests, which a simulation does not write."
  ],
  [
    /^http\/(?:Documents|contract\/Event(?:Documents|Schemas))\b/,
    "Documents are no part of a simulation, as their handlers wait for work outside of virtual time."
  ],
  [
    /^http\/EventStreams:.*:operand:5$|^http\/DrainState\b/,
    "Processes of a simulation are killed, and none is drained."
  ],
  [
    /^domain\/model\/Retention:parse\b/,
    "A scenario has its retention in milliseconds; the server and the command line read texts."
  ],
  [
    /^store-sqlite\/(?:maintenance|connection\/(?:VerifyCopy|CopyPages|Driver:openToRead))\b/,
    "Backups, copies, restores and checks are commands of an operator who has the file."
  ],
  [
    /^store-sqlite\/(?:worker\/(?:StoreWorker|startThread|thread)|worker\/ReadingWorker:(?:roundRobin|readingWorker)|database\/(?:MergeScheduler|OffloadedTransactions|JournalSync)|database\/Upgrade:migrateInWorker)\b/,
    "A simulation has no threads: what they do is done in place."
  ],
  [
    /^store-sqlite\/schema\/(?:Migrations:migrateTables:statement:2$|MigrationProgress\b)/,
    "It tells how far an upgrade is, and the files of a simulation are new."
  ],
  [
    /^store-sqlite\/schema\/migrations\/(?:0009_signals_in_order:signalsInOrder:sql-order:4|0013_texts_by_brand:counts:string:1)$/,
    "It moves the rows of an older file, and the files of a simulation are new."
  ],
  [
    /^domain\/queries\/EventResumption:resumeEvents:operand:6$/,
    "No run has the 10,000 events that a listener must be behind."
  ],
  [
    /^store-sqlite\/stores\/SqliteRateWindows:make\.step:condition:5$/,
    "No other process locks a file of a simulation while a call is under way."
  ]
]

/** Why no run can come to the mutant of this id; null where one may. */
export const outsideReason = (id: string): string | null =>
  outside.find(([pattern]) => pattern.test(id))?.[1] ?? null
