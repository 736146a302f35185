/** Bugs in the use cases. */
import { type Bug, bugsIn } from "./Bug.ts"

const keys = bugsIn("domain", "Keys")

/** In the use cases of `domain`, whatever the store. */
export const inUseCases: ReadonlyArray<Bug> = [
  keys("revoked-key-works", "whether a key was revoked is not looked at", {
    in: "authenticateHash",
    find: "$key === null || $key.revokedAt !== null",
    put: "$key === null"
  }),
  keys(
    "revoked-key-cached",
    "a key is looked up once and then cached",
    {
      in: "authenticateHash",
      given: ["$keyStore.findByHash($hash)"],
      find: "const $key = Option.getOrNull($found)",
      put: "const $key = cached.get($hash) ?? Option.getOrNull($found)\nif ($key !== null) cached.set($hash, $key)"
    },
    { in: "authenticateHash", insert: "const cached = new Map<string, ApiKey>()" }
  ),
  keys("limit-clock-read-early", "the time of a request is read before the request reaches its rate window", {
    in: "spend",
    find: "$windows.step($id, ($window, $now) => $spend($window, $limit, $now))",
    put: "Effect.flatMap(Clock.currentTimeMillis, (at) => $windows.step($id, ($window) => $spend($window, $limit, at)))"
  }),
  keys(
    "limit-per-process",
    "each process counts for itself, and forgets when it ends",
    {
      in: "spend",
      find: "$windows.step($id, $spend)",
      put: "$windows.step(`${$id} ${performance.timeOrigin} ${(processes.set($windows, processes.get($windows) ?? processes.size), processes.get($windows))}`, $spend)"
    },
    { in: "spend", insert: "const processes = new Map<unknown, number>()" }
  ),
  bugsIn("domain", "Leads")(
    "erased-by-the-wrong-name",
    "what is kept of an erased person is a hash of the lead's id, by which nobody is known again",
    {
      in: "erase",
      find: "Suppression.hash($secret, $lead.extId)",
      put: "Suppression.hash($secret, String($lead.id))"
    }
  ),
  bugsIn("domain", "Webhooks")(
    "subscription-not-asked",
    "an event is sent again to a webhook that does not subscribe to it",
    {
      in: "subscribed",
      find: "$event === $testEvent || $events.includes($event)",
      put: "$event === $testEvent || $events.length > 0"
    }
  ),
  bugsIn("domain", "Campaigns")(
    "campaign-of-anyone",
    "the metrics of another brand's campaign are answered as its own that has none",
    {
      in: "metrics",
      find: 'yield* $orNotFound($found, "campaign")',
      put: '$found._tag === "None" ? { snapshotDate: null, readings: [] } : $found.value'
    }
  ),
  bugsIn("domain", "RecordObservations")(
    "batch-cut-short",
    "the last observation of a batch is answered as recorded and is not",
    {
      in: "recordInOneCommit",
      find: "yield* $store.commit($brandId, $proposals, $ids)",
      put: "(yield* $store.commit($brandId, $proposals.slice(0, Math.max(1, $proposals.length - 1)), $ids)).flatMap((each, i, all) => i === all.length - 1 && $proposals.length > 1 ? [each, { ...each }] : [each])"
    }
  )
]
