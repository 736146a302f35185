/**
 * The domain alone, with a store of the host's own and no HTTP. It reads observations from standard input,
 * one JSON object a line, applies the domain's rule to what this host knows, and prints each event as it
 * fires.
 */
import { Decoder, type Lead, leadView, Observation, Observations } from "@lead-signals/domain"
import { Either } from "effect"
import { createInterface } from "node:readline"

const brandId = "1"
const read = Decoder.decode(Observation, { whole: "The line", strict: false })

/** The host's own store: two maps here, any database in your program. */
const leads = new Map<string, Lead>()
const engagements = new Map<string, number>()
const tally = { recorded: 0, duplicate: 0, rejected: 0 }

const known = ({ engagement, person }: Observation): Observations.CurrentState => ({
  signalExists: true,
  engagementOf: engagements.get(engagement.id) ?? null,
  personSuppressed: false,
  authorSuppressed: false,
  lead: leads.get(person.extId) ?? null
})

const reject = (number: number, message: string): void => {
  tally.rejected++
  console.error(`line ${number}: ${message}`)
}

const parse = (line: string): Either.Either<unknown, string> =>
  Either.try({ try: () => JSON.parse(line) as unknown, catch: () => "It takes one observation as JSON." })

const take = (observation: Observation, number: number): void => {
  const before = leads.get(observation.person.extId)
  const decision = Observations.observe(brandId, observation, known(observation), Date.now())
  if (decision.outcome === "rejected") return reject(number, decision.message)
  if (decision.outcome !== "recorded") {
    tally.duplicate++
    return
  }
  const lead: Lead = { ...decision.lead, id: before?.id ?? leads.size + 1 }
  leads.set(lead.extId, lead)
  engagements.set(decision.engagement.id, lead.id)
  tally.recorded++
  for (const { event, isFirstActivity } of decision.events) {
    console.log(JSON.stringify({ event, isFirstActivity, lead: leadView(lead) }))
  }
}

let number = 0
for await (const line of createInterface({ input: process.stdin })) {
  number++
  const observation = Either.flatMap(parse(line), (value) =>
    Either.mapLeft(read(value), ({ message }) => message)
  )
  if (Either.isLeft(observation)) reject(number, observation.left)
  else take(observation.right, number)
}
console.error(
  `${leads.size} leads; ${tally.recorded} recorded, ${tally.duplicate} known before, ${tally.rejected} rejected`
)
process.exitCode = tally.rejected > 0 ? 1 : 0
