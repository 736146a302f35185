/** Bugs in sessions of browsers, and in streams of live events. */
import { type Bug, bugsIn } from "./Bug.ts"

const scenario = "sessions"
const sessions = bugsIn("http", "Sessions", "memory", scenario)
const credentials = bugsIn("http", "Authentication", "memory", scenario)
const streams = bugsIn("http", "EventStreams", "memory", scenario)
const live = bugsIn("http", "LiveEvents", "memory", scenario)
const trail = bugsIn("http", "SessionTrail", "memory", scenario)

/** In the sessions and live events of `http`, whatever the store. */
export const inSessions: ReadonlyArray<Bug> = [
  sessions("session-at-its-end", "a session opens its calls at its expiresAt, too", {
    in: "ExpiringSecrets.find",
    find: "$found.expiresAt <= $now",
    put: "$found.expiresAt < $now"
  }),
  sessions("sign-out-of-nobody", "a sign-out is answered, and ends no session", {
    in: "makeSessions",
    drop: "if ($token !== null) $sessions.delete($token)"
  }),
  sessions("one-of-two-cookies", "of two cookies of a session the first counts", {
    in: "tokenIn",
    find: "$found.length === 1",
    put: "$found.length > 0"
  }),
  sessions("origin-of-any-scheme", "a page whose browser says that it is of another site acts by a cookie", {
    in: "hasSameOriginProof",
    find: '$site === "same-origin"',
    put: '$site.startsWith("same-")'
  }),
  credentials(
    "session-with-every-scope",
    "the session of a token opens what the token of the environment does",
    {
      in: "operatorOfSession",
      find: "ofToken($found, $by)",
      put: "ofEnvironment($by)"
    }
  ),
  credentials("cookie-beside-a-token", "a cookie counts although a header Authorization is there", {
    in: "isViaSession",
    find: "$authorization === undefined && $cookie !== undefined",
    put: "$cookie !== undefined"
  }),
  credentials(
    "changes-without-proof",
    "an operator's call that changes something needs no proof of its origin",
    {
      in: "operatorAccess",
      find: "!isSafe($method) && !hasSameOriginProof($headers)",
      put: "isSafe($method) && !hasSameOriginProof($headers)"
    }
  ),
  live(
    "session-looked-up-once",
    "a stream goes on when the session that began it is over: it is looked up once",
    {
      in: "liveEvents.liveEvents",
      given: ["Effect.provideService(Sessions, $sessions)"],
      find: "stillReads($credentials, $brandId)",
      put: "($credentials.authorization === undefined ? Effect.succeed(true) : stillReads($credentials, $brandId))"
    }
  ),
  trail("refused-once", "a second refused credential is entered, although it is of the same minute", {
    in: "RefusedCredentials",
    find: "$minute === $last",
    put: "$minute < $last"
  }),
  streams("stream-of-the-last-event", "of the events of one read a stream shows the last", {
    in: "make",
    find: '$events.map(blockOf).join("")',
    put: '$events.slice(-1).map(blockOf).join("")'
  }),
  streams("heartbeat-for-a-position-before", "a heartbeat does not say how far its stream has looked", {
    in: "make",
    find: "$stream.hand(heartbeat($position), $now, $handed)",
    put: "$stream.hand(heartbeat(0), $now, $handed)"
  }),
  streams("slow-clients-are-kept", "a client that takes nothing is not disconnected", {
    in: "make",
    find: "$stream.handedAt !== null && $now - $stream.handedAt >= $stallMillis",
    put: "false"
  }),
  live("stream-after-revocation", "a stream goes on when its credential was revoked", {
    in: "stillReads",
    find: '$operator !== null && $operator.scopes.includes("read") && reaches($operator, $brandId)',
    put: '$operator === null || ($operator.scopes.includes("read") && reaches($operator, $brandId))'
  }),
  bugsIn(
    "domain",
    "EventResumption",
    "memory",
    scenario
  )("later-than-the-newest", "a listener that names an event that is not there is told of no gap", {
    in: "resumeEvents",
    find: "Number($lastEventId) > $newest",
    put: "false"
  }),
  bugsIn(
    "store-memory",
    "LeadFeeds",
    "memory",
    scenario
  )("stream-beyond-the-newest", "a stream that has looked for events goes on a position later", {
    in: "eventsAfter",
    find: "position: Math.max($after, $last)",
    put: "position: Math.max($after, $last) + 1"
  })
]
