/** The load balancer in front of the processes. */
import type { Routing } from "../plan/Plan.ts"
import type { Decisions } from "./Decisions.ts"
import type { Call } from "./KnownFacts.ts"
import type { ServiceProcess } from "./ServiceProcess.ts"

/** How long a process that serves nobody still gets requests: until the router has noticed. */
const noticedAfterMillis = 1000

/** The share of a process among those that come after it, where requests are spread unevenly. */
const unevenShare = 0.75

type Spread = (call: Call, processes: ReadonlyArray<ServiceProcess>) => ServiceProcess

const spreadOf = (routing: Routing, decisions: Decisions): Spread => {
  let next = 0
  switch (routing) {
    case "random":
      return ({ label }, processes) => processes[decisions.below(`route ${label}`, processes.length)]!
    case "sticky":
      return ({ party }, processes) => processes[decisions.below(`route ${party}`, processes.length)]!
    case "round robin":
      return (_, processes) => processes[next++ % processes.length]!
    case "uneven":
      return ({ label }, processes) =>
        processes.find((_, i) => decisions.chance(`route ${label} ${i}`, unevenShare)) ?? processes.at(-1)!
  }
}

/** Answers the process that gets the request, which may be down; processes that have been down for a while get none. */
export const router = (
  routing: Routing,
  processes: ReadonlyArray<ServiceProcess>,
  decisions: Decisions,
  onPassedBy: () => void
): ((call: Call, now: number) => ServiceProcess) => {
  const spread = spreadOf(routing, decisions)
  return (call, now) => {
    if (processes.length === 1) return processes[0]!
    const served = processes.filter(
      ({ downSince }) => downSince === null || now - downSince < noticedAfterMillis
    )
    if (served.length === 0) return processes[0]!
    if (served.length < processes.length) onPassedBy()
    return spread(call, served)
  }
}
