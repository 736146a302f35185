/**
 * Code that no run of the simulator can come to although its program contains it: it runs in threads, behind sockets, on the command line or
 * for people who read logs. The tests alone judge its mutants.
 */

/** This file, from the root of the repository. */
export const outsideFile = "simulations/src/mutants/Outside.ts"

/** By what the ids of mutants match. */
export const outside: ReadonlyArray<readonly [id: RegExp, reason: string]> = [
  [
    /^http\/(?:node|ConnectionPipeline|UnreadBody|BodyPace|ParseErrorResponder)\b/,
    "A simulation has no sockets: its requests are whole when they come, and nobody is slow."
  ],
  [
    /^http\/(?:RequestLog|LogLine)\b|^http\/Authentication:spend:statement:1$|^http\/FastPath:knownParameters:|^webhook\/AttemptRecorder:AttemptRecorder\.record:arguments:1$/,
    "It is in the log of requests, which a simulation does not write."
  ],
  [
    /^http\/(?:Documents|StaticDocument|contract\/Event(?:Documents|Schemas)|contract\/Failures:(?:OtherError|RequestTimeoutFailure)|endpoints\/(?:Paths:pathDescriptionsOf|Campaigns:campaigns\.putSnapshot\.day:string))\b/,
    "Documents are no part of a simulation, as their handlers wait for work outside of virtual time."
  ],
  [
    /^http\/EventStreams:.*:operand:5$|^http\/DrainState\b/,
    "Processes of a simulation are killed, and none is drained."
  ],
  [/^http\/McpPath\b|^http\/App:outermost:(?:equality:2|condition:5)$/, "A simulation serves no assistants."],
  [/^http\/contract\/Failures:repeatedAuthorization\b/, "A simulation hands over each header once."],
  [
    /^store-sqlite\/rows\/ChangeReads:changesAfter:operand:6$/,
    "The epoch of a feed is another one only after a backup is restored, which is a command."
  ],
  [
    /^webhook\/WebhookSignature:parseSecret:logical:1$/,
    "The service makes the secrets of a run, and all of them can be read."
  ],
  [
    /^domain\/model\/Retention:(?:parse|format|defaults|hour)\b/,
    "A scenario has its retention in milliseconds; the server and the command line read texts."
  ],
  [
    /^(?:domain\/ports\/StoreCopy:copyTables|store-sqlite\/(?:maintenance|connection\/(?:VerifyCopy|CopyPages|Driver:openToRead)))\b/,
    "Backups, copies, restores and checks are commands of an operator who has the file."
  ],
  [
    /^store-sqlite\/(?:worker\/(?:StoreWorker|startThread|thread|ReadingWorker:(?:roundRobin|readingWorker)|Jobs:(?:erase|jobs:property:(?:8|9|10|11|12)|jobs\.(?:removeSomeLeads|migrate|vacuumInto|copyPages)))|database\/(?:MergeScheduler|OffloadedTransactions|JournalSync|FileDatabase:make(?::statement:10|\.reading:condition:3)|GroupCommit:groupCommit\.gatherAll|WriteAheadLog:synced\.truncate|Upgrade:migrateInWorker)|search\/SegmentMerge:(?:ownedMergeSql|beginMerge|mergeOwnedStep|endMerge|leaveMerges))\b/,
    "A simulation has no threads: what they do is done in place."
  ],
  [
    /^store-sqlite\/stores\/SearchTexts:SearchTexts\.(?:remember:(?:condition:(?:8|9|10)|equality:2|statement:3|element:1|return:4)$|follow\.failed\b)/,
    "Nothing comes between two pieces that are read in place, and no thread fails."
  ],
  [
    /^store-sqlite\/(?:connection\/(?:FileKey|Driver:(?:openDatabase|connection)|Writability)|rows\/Secrets:(?:mustWrap|rewrap)|database\/FileDatabase:make:(?:statement:4|string:1)|index:layer:boolean:1)\b/,
    "Drivers, permissions, keys that do not fit and files that can't be written are of the machine; a run chooses whether commits are synced."
  ],
  [
    /^store-sqlite\/search\/(?:FirstOf:select|TrigramPostings:TrigramPostings\.join:(?:arithmetic:14|statement:1)$)/,
    "No run has as many leads as these bounds are for, or a text as long."
  ],
  [
    /^store-sqlite\/schema\/(?:Migrations:migrateTables:statement:2$|MigrationProgress\b)/,
    "It tells how far an upgrade is, and the files of a simulation are new."
  ],
  [
    /^store-sqlite\/schema\/migrations\/(?:0009_signals_in_order:signalsInOrder:sql-order:4|0013_texts_by_brand:(?:counts:string:1|writePiece\.leads:nullish:2)|0013_folding:module:arithmetic:2)$/,
    "It moves the rows of an older file, and the files of a simulation are new."
  ],
  [
    /^domain\/stores\/PendingUses:PendingUses\.(?:(?:isWriting|note|writeBehind|withUses\.lastUsedAt)\b|writeAll:(?:condition:[134]|equality:2|statement:1)$)/,
    "Every write of a simulation ends before its caller goes on, as a fiber that one store has and another has not would give a run another history over each: no use waits to be written."
  ],
  [
    /^domain\/stores\/SharedRateWindows:SharedRateWindows\.step:condition:5$/,
    "No other process locks a file of a simulation while a call is under way."
  ]
]

/** Why no run can come to the mutant of this id; null where one may. */
export const outsideReason = (id: string): string | null =>
  outside.find(([pattern]) => pattern.test(id))?.[1] ?? null
