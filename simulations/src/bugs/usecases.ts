/** Bugs in the use cases. */
import { type Bug, bugsIn } from "./Bug.ts"

const access = bugsIn("packages/domain/src/usecases/Access.ts")

export const inUseCases: ReadonlyArray<Bug> = [
  access(
    "revoked-key-works",
    "whether a key was revoked is not looked at",
    "if (key === null || key.revokedAt !== null)",
    "if (key === null)"
  ),
  access(
    "revoked-key-cached",
    "a key is looked up once and then remembered",
    "const key = Option.getOrNull(yield* directory.keyByHash(ApiKeys.hash(token)))",
    "const key = cached.get(token) ?? Option.getOrNull(yield* directory.keyByHash(ApiKeys.hash(token)))\n    if (key !== null) cached.set(token, key)",
    {
      replace: "/**\n * The key of an `Authorization` header.",
      by: "const cached = new Map<string, ApiKey>()\n\n/**\n * The key of an `Authorization` header."
    }
  ),
  access(
    "limit-clock-read-early",
    "the time of a request is read before its turn at the window comes",
    "windows.step(key.id, (window, now) => RateLimit.spend(window, key.requestsPerMinute, now))",
    "Effect.flatMap(Clock.currentTimeMillis, (at) => windows.step(key.id, (window) => RateLimit.spend(window, key.requestsPerMinute, at)))"
  ),
  access(
    "limit-per-process",
    "each process counts for itself, and forgets when it ends",
    "windows.step(key.id, (window, now) =>",
    "windows.step(`${key.id} ${performance.timeOrigin} ${(processes.set(windows, processes.get(windows) ?? processes.size), processes.get(windows))}`, (window, now) =>",
    {
      replace: "/** The failure of a decision that refused. */",
      by: "const processes = new Map<unknown, number>()\n\n/** The failure of a decision that refused. */"
    }
  ),
  bugsIn("packages/domain/src/usecases/Operating.ts")(
    "erased-by-the-wrong-name",
    "what is kept of an erased person is a hash of the lead's id, by which nobody is known again",
    "Suppression.hash(suppressionSecret, lead.extId)",
    "Suppression.hash(suppressionSecret, String(lead.id))"
  ),
  bugsIn("packages/domain/src/usecases/Subscribing.ts")(
    "subscription-not-asked",
    "an event is sent again to a webhook that does not subscribe to it",
    "event === testEvent || events.includes(event)",
    "event === testEvent || events.length > 0"
  ),
  bugsIn("packages/domain/src/usecases/Reading.ts")(
    "campaign-of-anyone",
    "the metrics of another brand's campaign are answered as its own that has none",
    "if (Option.isNone(yield* directory.campaign(brandId, campaignId))) {",
    "if (Option.isNone(yield* directory.campaign(brandId, campaignId)) && campaignId.length > 3) {"
  ),
  bugsIn("packages/domain/src/usecases/Observing.ts")(
    "batch-cut-short",
    "of a batch the last observation is told to be taken and is not",
    "yield* store.commit(brand.id, proposals, yield* freshDeliveryIds)",
    "(yield* store.commit(brand.id, proposals.slice(0, Math.max(1, proposals.length - 1)), yield* freshDeliveryIds)).flatMap((each, i, all) => i === all.length - 1 && proposals.length > 1 ? [each, { ...each }] : [each])"
  )
]
