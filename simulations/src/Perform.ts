/** The plan's hours: who does what of it, and what befalls the service. */
import { Effect } from "effect"
import * as KeyHolders from "./actors/KeyHolders.ts"
import * as Operator from "./actors/Operator.ts"
import { observe } from "./actors/People.ts"
import * as Readers from "./actors/Readers.ts"
import type { Caller, Stage } from "./actors/Stage.ts"
import { sync } from "./actors/SyncClient.ts"
import * as WebhookOwner from "./actors/WebhookOwner.ts"
import type { Action, Trouble } from "./plan/Plan.ts"
import type { StagedBrand } from "./world/Ledger.ts"
import type { World } from "./world/World.ts"

/** Things that one person does one after the other, however long each takes. */
export interface Turns {
  readonly operator: Effect.Semaphore
  readonly sync: Effect.Semaphore
}

export const partyOf = ({ brand, do: deed }: Action): string => {
  switch (deed) {
    case "observe":
    case "again":
      return `people ${brand}`
    case "list":
    case "detail":
    case "walk":
    case "metrics":
    case "bad":
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

export const perform = (
  stage: Stage,
  action: Action,
  brand: StagedBrand,
  brands: ReadonlyArray<StagedBrand>,
  turns: Turns
): Effect.Effect<void> => {
  const caller: Caller = { party: partyOf(action), label: `${action.do} ${action.brand}-${action.n}` }
  const webhook = "webhook" in action ? brand.webhooks[action.webhook % brand.webhooks.length] : undefined
  switch (action.do) {
    case "observe":
    case "again":
      return observe(stage, caller, brand, action.seen, action.do === "observe")
    case "amend":
      return turns.operator.withPermits(1)(Operator.amend(stage, caller, brand, action))
    case "erase":
      return Operator.erase(stage, caller, brand, action.person)
    case "export":
      return Operator.exported(stage, caller, brand, action.person)
    case "reading":
      return turns.operator.withPermits(1)(Operator.reading(stage, caller, brand, action))
    case "list":
      return Effect.asVoid(Readers.page(stage, caller, brand, action.query))
    case "walk":
      return Effect.asVoid(Readers.walk(stage, caller, brand, action.query))
    case "detail":
      return Readers.detail(stage, caller, brand, action.person, action.withDetail)
    case "metrics":
      return Readers.metrics(stage, caller, brand, action)
    case "bad":
      return Readers.bad(stage, caller, brand, action.which)
    case "cross": {
      const other = brands[(brand.index + 1) % brands.length]!
      return other === brand ? Effect.void : Readers.cross(stage, caller, brand, other, action.person)
    }
    case "sync":
      return turns.sync.withPermits(1)(sync(stage, caller, brand))
    case "key":
      return KeyHolders.key(stage, caller, brand, action)
    case "burst":
      return KeyHolders.burst(stage, caller, brand, action)
    case "rotate":
      return webhook === undefined
        ? Effect.void
        : // Of two at once nobody would know which secret is the newer.
          turns.operator.withPermits(1)(WebhookOwner.rotate(stage, caller, brand, webhook))
    case "test":
      return webhook === undefined ? Effect.void : WebhookOwner.test(stage, caller, brand, webhook)
    case "resend":
      return webhook === undefined ? Effect.void : WebhookOwner.resend(stage, caller, brand, webhook, action)
    case "redeliver":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.redeliver(stage, caller, brand, webhook, action.nth)
    case "recover":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.recover(stage, caller, brand, webhook, action.agoMillis)
    case "toggle":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.toggle(stage, caller, brand, webhook, action.offMillis)
  }
}

export const trouble = (world: World, each: Trouble): void => {
  switch (each.trouble) {
    case "kill":
      return world.killAfter(each.steps)
    case "clock":
      return world.stepClock(each.millis)
    case "drift":
      return world.driftClock(each.rate)
    case "pause":
      return world.pause(each.millis)
    case "partition":
      return world.partition(each.millis)
  }
}
