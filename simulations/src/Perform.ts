/** Carries out the actions of a plan, each by its actor, and its scheduled faults. */
import { Effect } from "effect"
import { access } from "./actors/Accesses.ts"
import { browse } from "./actors/Browsers.ts"
import * as KeyHolders from "./actors/KeyHolders.ts"
import * as Operator from "./actors/Operator.ts"
import { keyed } from "./actors/KeyedCalls.ts"
import { inspect } from "./actors/OperatorReads.ts"
import { listen } from "./actors/Listeners.ts"
import { crowd, load, observe } from "./actors/People.ts"
import { probe } from "./actors/ProbeActor.ts"
import * as Readers from "./actors/Readers.ts"
import type { Caller, ActorContext } from "./actors/ActorContext.ts"
import { sync } from "./actors/SyncClient.ts"
import { tenant } from "./actors/Tenants.ts"
import * as WebhookOwner from "./actors/WebhookOwner.ts"
import type { Action, ScheduledFault } from "./plan/Plan.ts"
import { withLongTexts } from "./plan/Sightings.ts"
import type { KnownBrand } from "./world/KnownFacts.ts"
import type { World } from "./world/World.ts"

/** Things that one person does one after the other, however long each takes. */
export interface ActorLocks {
  readonly operator: Effect.Semaphore
  readonly sync: Effect.Semaphore
}

/** The lane of the report in which an action stands. It is part of the digest. */
export const partyOf = ({ brand, do: kind }: Action): string => {
  switch (kind) {
    case "observe":
    case "again":
    case "load":
    case "crowd":
      return `people ${brand}`
    case "list":
    case "detail":
    case "walk":
    case "metrics":
    case "probe":
    case "cross":
      return `reader ${brand}`
    case "sync":
      return `sync ${brand}`
    case "burst":
    case "key":
      return `keys ${brand}`
    default:
      return `operator ${brand}`
  }
}

/** Does one action of a plan to its end, retries included. What the answers mean goes into the facts; it never fails. */
export const perform = (
  context: ActorContext,
  action: Action,
  brand: KnownBrand,
  brands: ReadonlyArray<KnownBrand>,
  locks: ActorLocks
): Effect.Effect<void> => {
  const caller: Caller = { party: partyOf(action), label: `${action.do} ${action.brand}-${action.n}` }
  const webhook = "webhook" in action ? brand.webhooks[action.webhook % brand.webhooks.length] : undefined
  switch (action.do) {
    case "observe":
    case "again":
      return observe(
        context,
        caller,
        brand,
        action.isLong === true ? action.seen.map(withLongTexts) : action.seen,
        {
          isNew: action.do === "observe",
          isLines: action.isLines,
          arrival: action.arrival
        }
      )
    case "crowd":
      return crowd(context, caller, brand, action)
    case "load":
      return load(context, caller, brand, action)
    case "amend":
      return locks.operator.withPermits(1)(Operator.amend(context, caller, brand, action))
    case "erase":
      return Operator.erase(context, caller, brand, action.person)
    case "export":
      return Operator.exported(context, caller, brand, action.person)
    case "reading":
      return locks.operator.withPermits(1)(Operator.reading(context, caller, brand, action))
    case "list":
      return Readers.list(context, caller, brand, action)
    case "walk":
      return Effect.asVoid(Readers.walk(context, caller, brand, action.query))
    case "detail":
      return Readers.detail(context, caller, brand, action.person, action.withDetail)
    case "metrics":
      return Readers.metrics(context, caller, brand, action)
    case "probe":
      return probe(context, caller, brand, brands, action.probes, action.n)
    case "keyed":
      return keyed(context, caller, brand, action)
    case "access":
      return access(context, caller, brand, brands[(brand.index + 1) % brands.length]!, action)
    case "session":
      return browse(context, caller, brand, action)
    case "stream":
      return Effect.all(
        Array.from({ length: action.listeners ?? 1 }, (_, i) =>
          listen(
            context,
            i === 0 ? caller : { ...caller, label: `${caller.label} listener ${i + 1}` },
            brand,
            action.reads
          )
        ),
        { concurrency: "unbounded", discard: true }
      )
    case "tenant":
      return tenant(context, caller, action)
    case "cross": {
      const other = brands[(brand.index + 1) % brands.length]!
      return other === brand ? Effect.void : Readers.cross(context, caller, brand, other, action.person)
    }
    case "sync":
      return locks.sync.withPermits(1)(sync(context, caller, brand))
    case "key":
      return KeyHolders.key(context, caller, brand, action)
    case "burst":
      return KeyHolders.burst(context, caller, brand, action)
    case "rotate":
      return webhook === undefined
        ? Effect.void
        : // Of two at once nobody would know which secret is the newer.
          locks.operator.withPermits(1)(WebhookOwner.rotate(context, caller, brand, webhook))
    case "test":
      return webhook === undefined ? Effect.void : WebhookOwner.test(context, caller, brand, webhook)
    case "resend":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.resend(context, caller, brand, webhook, action)
    case "redeliver":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.redeliver(context, caller, brand, webhook, action.nth)
    case "recover":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.recover(context, caller, brand, webhook, action.agoMillis)
    case "inspect":
      return inspect(context, caller, brand, brands[(brand.index + 1) % brands.length]!, action)
    case "toggle":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.toggle(context, caller, brand, webhook, action.offMillis)
  }
}

/** Begins one fault of the schedule. Nothing where the plan has no process of that number, as in a counterexample that was made smaller. */
export const injectFault = (world: World, each: ScheduledFault): void => {
  const { processes } = world
  const process = processes.all[each.process ?? 0]
  if (process === undefined) return
  switch (each.fault) {
    case "kill":
      return processes.killAfter(process, each.steps)
    case "clock":
      return processes.stepClock(process, each.millis)
    case "drift":
      return processes.driftClock(process, each.rate)
    case "pause":
      return processes.pause(process, each.millis)
    case "partition":
      return world.partition(each.millis)
    case "storeCut":
      return processes.cutFromStore(process, each.millis)
    case "receiverCut":
      return processes.cutFromReceivers(process, each.millis)
    case "failover":
      return world.server?.failOver(each.millis, each.lostMillis)
  }
}
