/** What calls about figures over time must be answered. [SERIES-1, SERIES-2, SERIES-3, SERIES-4, SERIES-5] */
import type { Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { ofBrand } from "./DirectoryAnswers.ts"
import type { DirectoryReference } from "./DirectoryReference.ts"
import { type Expectations, type ExpectedAnswers, found, notFound } from "./ExpectedAnswers.ts"
import type { OutboxReference } from "./OutboxReference.ts"
import { SeriesReference } from "./SeriesReference.ts"

/** What the answers follow from. */
interface Known {
  readonly facts: KnownFacts
  readonly directory: DirectoryReference
  readonly outbox: OutboxReference
}

/** By what the store did. */
export const figureAnswers = (
  { directory, facts, outbox }: Known,
  checks: Checks,
  expected: ExpectedAnswers
): Expectations => {
  const series = checks.rule("each series of figures")

  const expectFigures = (call: Call, body: Json): void => {
    if (body === null) {
      series.weaken("an interval began during the call, or nobody knows what the brand has")
      facts.compared.add(call)
    } else series.judged++
    expected.set(call, body === null ? found : { status: 200, body })
  }

  const ofCampaign = (method: Stored["method"], args: Stored["args"], call: Call, now: number): null => {
    const isThere = ofBrand(directory.campaigns, args[0], args[1]) !== undefined
    const campaign = facts.brandOf(args[0])?.campaign
    if (!isThere || campaign?.id !== args[1]) expected.set(call, isThere ? found : notFound)
    else
      expectFigures(
        call,
        method === "campaigns.posts"
          ? SeriesReference.posts(campaign!)
          : SeriesReference.campaign(call, campaign!, now)
      )
    return null
  }

  return {
    "campaigns.dayChanges": ({ args, call, method, process: { now } }) => ofCampaign(method, args, call, now),
    "campaigns.posts": ({ args, call, method, process: { now } }) => ofCampaign(method, args, call, now),
    "leads.counts": ({ args, call, process: { now } }) => {
      const brand = facts.brandOf(args[0])
      expectFigures(call, brand === undefined ? null : SeriesReference.counts(call, brand.reference, now))
      return null
    },
    "deliveries.counts": ({ args, call, process: { now } }) => {
      expectFigures(call, SeriesReference.deliveries(call, outbox.webhooksOf(args[0]), now))
      return null
    }
  }
}
