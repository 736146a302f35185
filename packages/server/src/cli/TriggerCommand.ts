/** `lead-signals trigger EVENT`: makes an event happen, for trying receivers out. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { eventTypes, testEvent } from "@lead-signals/domain"
import { Failed, leaf, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { Json } from "./OperatorClient.ts"
import { inTypedNames } from "./TypedNames.ts"
import { brandOption, type Call, calling, operatorOptions, pathOf, textOption } from "./OperatorCommand.ts"

const event = Args.choice(
  [...eventTypes, testEvent].map((type) => [type, type] as const),
  { name: "EVENT" }
).pipe(Args.withDescription(`One of ${[...eventTypes, testEvent].join(", ")}`))

/** Whether it is the demo brand, which begins at midnight UTC; a brand of that name that a user created almost never does. */
const isDemo = ({ createdAt, deletionStartedAt, name }: Json): boolean =>
  name === "Demo" && deletionStartedAt === null && String(createdAt).endsWith("T00:00:00.000Z")

const findBrand = (call: Call, given: Option.Option<string>): Effect.Effect<string, Failed> =>
  Option.match(given, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.flatMap(call("GET", "/operator/brands"), ({ data }) => {
        const demo = data.find(isDemo)
        return demo === undefined
          ? usage("--brand is required: this server has no demo brand that the token reaches.")
          : Effect.succeed(String(demo.id))
      })
  })

const findSignal = (
  call: Call,
  brandId: string,
  given: Option.Option<string>
): Effect.Effect<string, Failed> =>
  Option.match(given, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.flatMap(call("GET", pathOf(brandId, "signals")), ({ data }) =>
        data.length === 0
          ? Effect.fail(
              new Failed({
                message: `Brand ${brandId} has no signal; \`signals create\` makes one, which an observation can name.`
              })
            )
          : Effect.succeed(String(data[0].id))
      )
  })

/** The person of the observations that fire activity.detected, so that trials leave one lead, and not one each. */
const regularVisitor = "lead-signals-trigger"

const observationOf = (signalId: string, extId: string) => ({
  signalId,
  person: {
    extId,
    name: "Trigger Example",
    headline: "Invented by lead-signals trigger"
  },
  engagement: {
    id: `trigger-${randomUUID()}`,
    type: "comment",
    commentText: "A comment that lead-signals trigger invented",
    postUrl: "https://network.example/posts/trigger",
    trackedAt: new Date().toISOString()
  }
})

/** Records an observation that fires the event. Answers its outcome. */
const observe = (call: Call, brandId: string, signalId: string, type: string) =>
  Effect.gen(function* () {
    const send = (extId: string) =>
      Effect.map(
        call("POST", pathOf(brandId, "observations"), { observations: [observationOf(signalId, extId)] }),
        ({ data }) => data[0]
      )
    const fresh = `${regularVisitor}-${randomUUID()}`
    const first = yield* send(type === "activity.detected" ? regularVisitor : fresh)
    // The person was erased, and stays so.
    const outcome = first.outcome === "suppressed" ? yield* send(fresh) : first
    if (outcome.outcome === "recorded") return outcome
    return yield* new Failed({
      message: `The observation was ${outcome.outcome}${outcome.message === undefined ? "." : `: ${inTypedNames(outcome.message)}`}`
    })
  })

/** Sends the event of the newest lead to one webhook, and makes nothing. */
const sendToOne = (call: Call, brandId: string, webhook: string, type: string) =>
  Effect.gen(function* () {
    if (type === testEvent) return (yield* call("POST", pathOf(brandId, "webhooks", webhook, "test"))).data
    const { data } = yield* call("GET", `${pathOf(brandId, "leads")}?pageSize=1`)
    if (data.length === 0)
      return yield* new Failed({
        message: `Brand ${brandId} has no lead whose event could be sent; without --webhook one is made.`
      })
    const body = { webhookId: webhook, event: type }
    return (yield* call("POST", pathOf(brandId, "leads", String(data[0].id), "resend"), body)).data
  })

/** `lead-signals trigger`. Without --webhook it leaves a lead behind, of a person that it invents. */
export const triggerCommand = leaf(
  "trigger",
  {
    summary: "Makes an event happen, or sends one to a single webhook, to try receivers out",
    details: [
      "Without --webhook it records an observation of an invented person, by default on the demo brand. All webhooks of the brand that subscribe",
      "to the event get it, and the lead stays until it is erased: the command says how. lead2.created invents a person each time;",
      "activity.detected has one person engage again, who is new the first time. With --webhook nothing is made: that webhook alone gets",
      "the newest lead's event, or webhook.test, which concerns nobody."
    ],
    examples: [
      ["lead-signals trigger lead2.created", "on the demo brand"],
      ["lead-signals trigger activity.detected --brand 2", ""],
      ["lead-signals trigger webhook.test --webhook 1 --brand 2", ""]
    ]
  },
  {
    event,
    brand: Options.optional(brandOption("Id of the brand [the demo brand]")),
    signal: textOption("signal", "Id of the signal that catches the engagement [the brand's first]"),
    webhook: textOption("webhook", "Sends to this webhook alone, by its id, and makes nothing"),
    ...operatorOptions
  },
  calling(
    (call, given) =>
      Effect.gen(function* () {
        const webhook = Option.getOrNull(given.webhook)
        if (webhook === null && given.event === testEvent)
          return yield* usage(`${testEvent} needs --webhook: it goes to one webhook.`)
        if (webhook !== null && Option.isSome(given.signal))
          return yield* usage("--signal goes with an observation: leave --webhook out.")
        const brandId = yield* findBrand(call, given.brand)
        if (webhook !== null) {
          const value = yield* sendToOne(call, brandId, webhook, given.event)
          return { value, text: `Queued as ${value.deliveryId}.` }
        }
        const signalId = yield* findSignal(call, brandId, given.signal)
        const { engagementId, leadId } = yield* observe(call, brandId, signalId, given.event)
        return {
          value: { brandId, leadId, engagementId },
          text: [
            `Recorded an engagement of the invented lead ${leadId} in brand ${brandId}.`,
            `To remove the lead: lead-signals leads erase ${leadId} --confirm ${leadId} --brand ${brandId}`
          ].join("\n")
        }
      }),
    { id: "--webhook", webhookId: "--webhook" }
  )
)
