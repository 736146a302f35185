/** A counterexample in words: who took part, what was done, and what went wrong. */
import { Retention } from "@lead-signals/domain"
import type { Counterexample } from "./Counterexample.ts"
import { type Action, addressLists, type Plan } from "./plan/Plan.ts"
import type { PlannedPruning } from "./plan/PlannedRetention.ts"

/** Virtual time since the run began: hours, minutes, seconds and milliseconds. */
const time = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const part = (n: number): string => String(n).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}.${String(millis % 1000).padStart(3, "0")}`
}

const describeAction = (action: Action): string => {
  switch (action.do) {
    case "observe":
    case "again":
      return `${action.do === "again" ? "seen again" : "seen"}: ${action.seen
        .map(
          ({ engagement, person }) =>
            `${person.extId} ${String(engagement["type"] ?? "engages")} ${engagement.id}`
        )
        .join(", ")}`
    case "amend":
      return `the operator sets ${JSON.stringify(action.change)} on ${action.person}`
    case "erase":
      return `the operator erases ${action.person}`
    case "export":
      return `the operator exports ${action.person}`
    case "list":
    case "walk": {
      const { bounds, direction, field, flags, page, pageSize, search, signal } = action.query
      const filters = [
        ...bounds.map(
          ({ by, name }) => `${name} at a known instant${by === 0 ? "" : ` ${by > 0 ? "+" : ""}${by} ms`}`
        ),
        ...Object.entries(flags).map(([name, value]) => `${name}=${value}`),
        ...(search === null ? [] : [`search "${search}"`]),
        ...(signal === null ? [] : [`signal ${signal}`])
      ]
      const more = action.do === "list" ? (action.next?.length ?? 0) : 0
      return `a client ${action.do === "walk" ? "pages through" : `lists page ${page} of`} ${field}:${direction} by ${pageSize}${filters.length === 0 ? "" : ` with ${filters.join(", ")}`}${more === 0 ? "" : `, and at once ${more} like it`}`
    }
    case "detail":
      return `a client looks at ${action.person}`
    case "sync":
      return "a client syncs"
    case "metrics":
      return `a client reads metrics from ${action.startDate ?? "the beginning"} to ${action.endDate ?? "now"}`
    case "reading":
      return `a reading of ${action.post} on ${action.day}: ${Object.values(action.totals).join("/")}`
    case "key":
      return `a key is made, used ${action.useMillis.length} times, and revoked after ${action.revokeMillis} ms`
    case "burst":
      return `${action.requests} requests of a key that may make ${action.limit ?? 6} a minute, every ${action.gapMillis} ms`
    case "crowd":
      return `${action.leaves.length} requests with the same ${action.seen.length} observations at once, while a commit takes ${action.commitMillis} ms; ${action.leaves.filter((millis) => millis !== null).length} of the clients go away`
    case "load":
      return `${action.people} people are loaded${action.isLines ? " as lines" : ""}`
    case "probe":
      return `requests in other forms: ${action.probes.join("; ")}`
    case "keyed":
      return `a ${action.what} is created with an Idempotency-Key in ${action.tries.length} requests: ${action.tries.map(({ after, isOfOther, isOther }) => `${after} ms${isOther === true ? " with another body" : ""}${isOfOther === true ? " by another token" : ""}`).join(", ")}`
    case "access": {
      const { allowed, brands, expiresMillis, holder, revokeMillis, scopes, uses } = action
      return [
        `a ${holder} with the scopes ${scopes.join(", ")}`,
        ...(holder === "token" && brands !== "all" ? [`for ${brands} brands`] : []),
        ...(allowed === null ? [] : [`from ${addressLists[allowed]!.join(", ")}`]),
        ...(expiresMillis === null ? [] : [`valid for ${expiresMillis} ms`]),
        ...(revokeMillis === null ? [] : [`revoked after ${revokeMillis} ms`]),
        `used ${uses.length} times`
      ].join(", ")
    }
    case "session": {
      const { credential, origin, revokeMillis, signOut, uses } = action
      return [
        `somebody signs in with ${credential === "environment" ? "the operator's token" : `a ${credential}${credential === "wrong" ? " credential" : ""}`}, origin ${origin}`,
        ...(revokeMillis === null ? [] : [`revoked after ${revokeMillis} ms`]),
        ...uses.map(({ what, ...use }) => `uses ${what}, origin ${use.origin}`),
        signOut === null ? "never signs out" : `signs out, origin ${signOut}`
      ].join("; ")
    }
    case "stream":
      return `${action.listeners === undefined ? "the operator listens" : `${action.listeners} operators listen`} to events: ${action.reads.map(({ after, forMillis, from, takesMillis }) => `after ${after} ms for ${forMillis} ms, last event ${from}${takesMillis === 0 ? "" : `, ${takesMillis} ms over each piece`}`).join("; ")}`
    case "tenant":
      return `a brand with ${action.people} people is created, used and deleted`
    case "cross":
      return `a client requests another brand's lead and campaign (${action.person})`
    case "rotate":
      return `the secret of webhook ${action.webhook} is renewed`
    case "test":
      return `webhook ${action.webhook} is tested`
    case "resend":
      return `${action.event} of ${action.person} is sent again to webhook ${action.webhook}`
    case "redeliver":
      return `delivery ${action.nth} of webhook ${action.webhook} is sent again`
    case "recover":
      return `what died at webhook ${action.webhook} is sent again`
    case "toggle":
      return `webhook ${action.webhook} is switched off for ${Math.round(action.offMillis / 1000)} s`
    case "inspect":
      return `the operator looks: ${action.what}, webhook ${action.webhook}, ${action.nth}`
  }
}

const renderedPruning = ({ intervalMillis, leaseMillis, rows }: PlannedPruning): string =>
  [
    "pruned",
    ...(intervalMillis === undefined ? [] : [`every ${intervalMillis / 1000} s`]),
    ...(leaseMillis === undefined ? [] : [`under a lease of ${leaseMillis / 1000} s`]),
    ...(rows === undefined ? [] : [`in pieces of ${rows}`])
  ].join(" ")

const renderedRetention = (retention: Retention.Retention): string =>
  Retention.retentionKinds.map((kind) => `${kind} ${Retention.format(retention[kind])}`).join(", ")

/** Describes the counterexample in lines: who took part, what was done, what went wrong. */
export const renderCounterexample = ({ faults, plan, schedule }: Counterexample): ReadonlyArray<string> => {
  const {
    actions,
    brands,
    earlierSignals,
    maxWaits,
    networkedStore,
    offDays,
    places,
    processes,
    pruning,
    recovers,
    retention,
    routing,
    scheduledFaults
  } = plan as unknown as Plan
  const lines = [
    ...(processes === undefined
      ? []
      : [
          `${processes.length} processes${processes.flatMap(({ older }, i) => (older ? `, process ${i + 1} of an older version` : "")).join("")}; requests spread: ${routing}`
        ]),
    ...(networkedStore === true ? ["the store behind a network"] : []),
    ...(places === undefined ? [] : [`places for attempts: ${places}`]),
    ...(maxWaits === undefined ? [] : [`requests that can wait for a change: ${maxWaits}`]),
    ...(earlierSignals === undefined
      ? []
      : [`signals of brand 0 that were deleted before: ${earlierSignals}`]),
    ...(recovers === undefined ? [] : ["the operator recovers dead letters in the end"]),
    ...(offDays === undefined ? [] : [`the service is off for ${offDays} days in the end`]),
    ...(retention === undefined ? [] : [`kept: ${renderedRetention(retention)}`]),
    ...(pruning === undefined ? [] : [renderedPruning(pruning)]),
    ...brands.map(
      ({ consumers }, i) =>
        `brand ${i} with ${consumers.length === 0 ? "no webhook" : `webhooks ${consumers.map(({ behaviour, ordering }) => (ordering === undefined ? behaviour : `${behaviour} in order`)).join(", ")}`}`
    )
  ]
  const timed = [
    ...actions.map((action) => [action.at, `brand ${action.brand}: ${describeAction(action)}`] as const),
    ...scheduledFaults.map(({ at, ...fault }) => {
      const amount = "millis" in fault ? ` (${fault.millis} ms)` : "rate" in fault ? ` (${fault.rate})` : ""
      const befallen = fault.process === undefined ? "" : ` of process ${fault.process + 1}`
      return [at, `! ${fault.fault}${befallen}${amount}`] as const
    })
  ].sort(([a], [b]) => a - b)
  for (const [at, text] of timed) lines.push(`${time(at).padStart(12)}  ${text}`)
  for (const fault of faults) lines.push(`           !  ${fault}`)
  if (schedule.kind === "seed") lines.push("           ~  scheduling steps in the seed's order")
  if (schedule.kind === "picks")
    lines.push(`           ~  ${schedule.picks.length} scheduling steps out of order`)
  return lines
}

export { time as renderedTime }
