/** Answers of simulated receivers, which know to the character what of them the log may have. */
import { Prng } from "@lead-signals/simulation-kernel"
import { repetitionOf, sighting } from "@lead-signals/simulations/internal"
import { ResponseRedactor } from "@lead-signals/webhook"
import { expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

const readBytes = 1024

/** The data of an event, about one of eight people. */
const payload = (seed: number) => {
  const { engagement, person } = sighting(
    Prng.of(seed, "event"),
    0,
    8,
    (prng) => prng.below(8),
    `b0-e${seed}`
  )
  const { company, ...profile } = person as Record<string, unknown>
  return {
    isFirstActivity: true,
    lead2: { id: 7, ...profile, leadCompany: company ?? null },
    engagements: [{ ...engagement, signal: { id: "3", name: "Rivals", signalType: "keywords" } }]
  }
}

it("the log of attempts has of an answer what stands between the texts that it repeats, in whatever spelling, and nothing less [DELIV-5, PII-2]", () => {
  let answers = 0
  for (let seed = 1; seed <= cases(20_000); seed++) {
    const data = payload(seed)
    const answer = repetitionOf([data], Prng.of(seed, "answer"))
    if (answer === null) continue
    answers++
    const { bytes, logged } = answer
    const logs = ResponseRedactor.redact(bytes.slice(0, readBytes), bytes.length > readBytes, [
      JSON.stringify({ data })
    ])
    expect([seed, logs]).toEqual([seed, logged])
  }
  expect(answers).toBeGreaterThan(cases(20_000) / 2)
})
