/** Bugs in Idempotency-Keys and in the audit log. */
import { type Bug, bugsIn } from "./Bug.ts"

const scenario = "idempotency"
const decision = bugsIn("domain", "Idempotency", "memory", scenario)
const memory = bugsIn("store-memory", "MemoryIdempotencyRecords", "memory", scenario)
const key = bugsIn("http", "IdempotencyKey", "memory", scenario)
const calls = bugsIn("http", "Idempotency", "memory", scenario)
const rows = bugsIn("http", "OperatorEndpoint", "memory", scenario)
const trail = bugsIn("http", "AuditTrail", "memory", scenario)

/** In the decision, the use case and the stores of Idempotency-Keys. */
export const inIdempotency: ReadonlyArray<Bug> = [
  decision("other-body-answered", "a key with another body gets the answer of the first", {
    in: "reserve",
    find: "$kept.fingerprint !== $request.fingerprint",
    put: "false"
  }),
  decision("key-kept-too-long", "a key is remembered for a day and a half", {
    in: "isExpired",
    find: "$now >= $createdAt + keptMillis",
    put: "$now >= $createdAt + keptMillis * 1.5"
  }),
  decision("key-forgotten-early", "a key is forgotten after some minutes", {
    in: "isExpired",
    find: "$now >= $createdAt + keptMillis",
    put: "$now >= $createdAt + keptMillis / 144"
  }),
  decision("lost-answer-made-again", "what was committed without an answer is done again after its lease", {
    in: "reserve",
    find: '$kept.state === "applied"',
    put: "false"
  }),
  decision("overtaken-call-goes-on", "a call that another has overtaken commits its change all the same", {
    in: "isHeld",
    find: "$kept.holder === $holder",
    put: "true"
  }),
  memory("change-without-mark", "a change does not mark the record of its key", {
    in: "heldWrite",
    find: "Exit.isSuccess($exit)",
    put: "false"
  }),
  memory("committed-key-released", "a key is released although its change is committed", {
    in: "make",
    find: 'Idempotency.isHeld($kept, $reservation) && $kept?.state === "reserved"',
    put: "Idempotency.isHeld($kept, $reservation) && $kept !== null"
  }),
  bugsIn(
    "store-sqlite",
    "BoundWrites",
    "sqlite",
    scenario
  )("mark-without-holder", "a change on SQLite marks the record of its key, whoever holds it", {
    in: "markApplied",
    text: "id = ? AND holder = ? AND state <> 'answered'",
    put: "id = ? AND (holder = ? OR state = 'reserved') AND state <> 'answered'"
  }),
  key("one-key-for-all-operators", "a key of one operator is that of another", {
    in: "derive",
    find: "[$actor, $method, $path]",
    put: "[$method, $path]"
  }),
  calls("one-key-for-all-tokens", "the stored tokens of operators share their keys", {
    in: "actorOf",
    find: "$actor.id === null ? $actor.type : `${$actor.type} ${$actor.id}`",
    put: "$actor.type"
  }),
  key("body-not-in-fingerprint", "a request is told from others by its target alone", {
    in: "fingerprint",
    find: "concatBytes($target, $body)",
    put: "concatBytes($target)"
  }),
  key("answer-kept-in-the-clear", "an answer is kept as it is", {
    in: "seal",
    find: "xchacha20poly1305($key, $nonce, $data).encrypt($plain)",
    put: "$plain"
  }),
  calls("repetition-not-told", "a repeated answer does not say that it is one", {
    in: "idempotently",
    drop: 'headers: { [replayedHeader]: "true" }'
  }),
  calls("failures-kept", "an answer that the store could not be written is kept, too", {
    in: "isKept",
    find: "$status === 404",
    put: "$status >= 404"
  }),
  calls("status-not-kept", "a repeated answer has the status 200", {
    in: "idempotently",
    find: "status: $kept.status",
    put: "status: 200"
  })
]

/** In what is written into the audit log. */
export const inAudit: ReadonlyArray<Bug> = [
  rows("new-keys-unaudited", "the creation of a key has no entry in the audit log", {
    in: "operatorEndpoint",
    given: [
      "{ actor: $actor, viaSession: $viaSession, operation: $name, brandId: $brandId, subjectId: $subjectId }"
    ],
    find: '$kept === "none"',
    put: '$kept === "none" || $name === "createKey"'
  }),
  rows("audited-as-brand-one", "an entry names the first brand, whichever it was", {
    in: "operatorEndpoint",
    find: 'idIn($path["brandId"])',
    put: '$path["brandId"] === undefined ? null : "1"'
  }),
  rows("created-name-audited", "an entry has the name of what was created", {
    in: "createdIdOf",
    find: "idIn(($answer as any)?.data?.id)",
    put: "(($answer as any)?.data?.name ?? null)"
  }),
  rows("repetition-audited", "a call whose answer is repeated has an entry of its own", {
    in: "operatorEndpoint",
    given: ["$recorded(Effect.fail($refused.left))"],
    find: "yield* idempotently($call)",
    put: "yield* $recorded(idempotently($call))"
  }),
  trail("outcome-not-audited", "an entry has the status of a success, whatever was answered", {
    in: "statusOfFailure",
    find: "$answer?.status ?? 500",
    put: "200"
  }),
  bugsIn("http", "KeyReads")(
    "reads-of-the-day-before",
    "what a key read on the day before has no entry on the next day",
    {
      in: "KeyReads.note",
      drop: "if ($day !== this.day) this.pauses.clear()"
    }
  ),
  bugsIn("http", "AuditTrail")(
    "ids-of-any-text",
    "an entry takes what a path names for an id, whatever it is",
    {
      in: "idIn",
      find: "$pattern.test($text)",
      put: "true"
    }
  ),
  trail("entry-without-actor", "every entry is of the environment's token", {
    in: "aroundChange",
    find: "{ ...$call, at: $now, status: null }",
    put: '{ ...$call, actor: { type: "environment", id: null }, at: $now, status: null }'
  }),
  bugsIn("store-memory", "MemoryAuditLog")(
    "audit-page-without-instant",
    "a page of the audit log leaves out entries of the instant at which the page before ended",
    {
      in: "make",
      find: "newestFirst($after, $entry) < 0",
      put: "$entry.at < $after.at"
    }
  ),
  trail("entry-after-refusals-missing", "a refused call has no outcome in its entry", {
    in: "aroundChange",
    find: "$complete({ status: statusOfFailure($cause), createdId: null })",
    put: "Effect.void"
  })
]
