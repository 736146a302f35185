/** Bugs that no rule would have reported: who read each clause, and asked how it can be broken too late, too often or only in part, named them. */
import { type Bug, bugsIn } from "./Bug.ts"

/** Those that are of no other section. */
export const overlooked: ReadonlyArray<Bug> = [
  bugsIn("http", "ChangeWaits")(
    "waits-without-a-look",
    "a request that waits looks at its key only once there is a change",
    { in: "ChangeWaits.untilChange", drop: "yield* $request.checkKey" }
  ),
  bugsIn("http", "ChangeWaits")("changes-seldom-looked-for", "changes are looked for every four seconds", {
    in: "ChangeWaits.watch",
    find: "Effect.sleep(this.limits.pollMillis)",
    put: "Effect.sleep(8 * this.limits.pollMillis)"
  }),
  bugsIn("http", "Authentication")(
    "counted-before-the-address",
    "a request from an address that its key does not allow spends the window of the key",
    {
      in: "admit",
      find: "Effect.zipRight(fromAllowedAddress($key, $credentials), spend($key, $attention, $record))",
      put: "Effect.zipRight(spend($key, $attention, $record), fromAllowedAddress($key, $credentials))"
    }
  ),
  bugsIn("http", "SessionTrail")("refused-once-an-hour", "refused credentials have one entry an hour", {
    in: "RefusedCredentials",
    find: "$now / minuteMillis",
    put: "$now / (60 * minuteMillis)"
  }),
  bugsIn("http", "SessionTrail")("entry-of-the-minute", "a sign-in is entered with its minute", {
    in: "append",
    find: "yield* Clock.currentTimeMillis",
    put: "Math.floor((yield* Clock.currentTimeMillis) / 60_000) * 60_000"
  }),
  bugsIn("http", "FastPath")("refused-list-entered", "a list is entered before it is read", {
    in: "makeFastPath",
    find: "Effect.zipLeft($response, $keyReads.note($key, $row.name))",
    put: "Effect.zipRight($keyReads.note($key, $row.name), $response)"
  }),
  bugsIn("store-sqlite", "Erasure", "sqlite")(
    "deleted-brand-stays-indexed",
    "the search indexes keep the texts of a deleted brand",
    {
      in: "removeSome",
      drop: "for (const $lead of $leads) changeSearch($sql, $lead, null)"
    }
  ),
  bugsIn("store-sqlite", "RankIndex", "sqlite")(
    "bucket-keeps-a-name",
    "the rank index keeps the name of an erased person with which a bucket began",
    {
      in: "forgetLeads",
      find: "for (const $bucket of $buckets) restartAtFirstLead($sql, $bucket, $orderings[$bucket.ordering])",
      put: "for (const $bucket of $buckets) if ($bucket.n === 0) restartAtFirstLead($sql, $bucket, $orderings[$bucket.ordering])"
    }
  ),
  bugsIn("webhook", "DeliveryAttempt")(
    "success-without-a-body-is-none",
    "an answer without a body counts as a broken connection",
    {
      in: "startAttempt",
      find: "resultOf($exit.value, $bodies, $now)",
      put: "$exit.value.excerpt.length === 0 && $exit.value.status < 300 ? failed('connection') : resultOf($exit.value, $bodies, $now)"
    }
  ),
  bugsIn("http", "Idempotency")("accepted-not-kept", "answers with 202 are not kept for repetitions", {
    in: "isKept",
    find: "$status < 300",
    put: "$status < 300 && $status !== 202"
  }),
  bugsIn("webhook", "Emitter")(
    "looks-every-half-minute",
    "what is due again is looked for every half minute",
    {
      in: "make",
      find: "Math.min($options.pollMillis, $millis > 0 ? $millis : $again)",
      put: "Math.max(30_000, Math.min($options.pollMillis, $millis > 0 ? $millis : $again))"
    }
  ),
  bugsIn("domain", "Batches")("full-batch-waits", "a full batch waits as long as any", {
    in: "form",
    find: "$room > 0 && $readyAt > $now",
    put: "$readyAt > $now"
  }),
  bugsIn("domain", "RequestView")(
    "place-of-the-batch",
    "an event in order is said to be in none where another in its batch is",
    {
      in: "placeHeaders",
      find: '$places.map(({ isInOrder: $isInOrder }) => ($isInOrder ? "lead" : "none"))',
      put: '$places.map(() => ($places.every(({ isInOrder }) => isInOrder) ? "lead" : "none"))'
    }
  )
]
