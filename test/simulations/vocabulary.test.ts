/** The vocabulary of the simulator: what it has of the interface, and that the service takes and refuses it as the contract says. */
import { OpenApiDocument, run, scenarioNamed, Vocabulary } from "@lead-signals/simulations"
import {
  contractFields,
  missingField,
  operations as flattened,
  planOf,
  probingInput
} from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"
import { nextTick } from "../harness/EventLoop.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const { coverageOf, difference, instantForms, probes, requiredScope, unreachable } = Vocabulary

const all = [...probes().values()]
const reachable = all.filter(({ name }) => unreachable(name) === null)
const refusals = (of: typeof all) => of.filter(({ form }) => form.refusal !== null)

/** The document is a tree of any shape. A run asks for no live events, which have no end. */
const operations = Object.entries(OpenApiDocument.document["paths"] as Record<string, Record<string, any>>)
  .flatMap(([route, item]) =>
    Object.entries(item).map(([method, operation]) => ({ route, method, operation }))
  )
  .filter(({ route }) => route !== "/operator/brands/{brandId}/events")

describe("the vocabulary", () => {
  it("has the scope of every operation, as the document names it [OPER-10, AUTH-9]", () => {
    expect(operations.length).toBeGreaterThan(50)
    for (const { method, operation, route } of operations)
      expect(
        [method, route, requiredScope(method.toUpperCase(), route)],
        "the scope in simulations/src/vocabulary/Scopes.ts, which is written from the interface's description"
      ).toEqual([method, route, operation["x-required-scope"] ?? null])
  })

  it("has every operation, and every parameter and field of a body, in accepted and in refused forms", () => {
    expect(all.length).toBeGreaterThan(7000)
    expect(new Set(all.map(({ operation }) => operation.route + operation.method)).size).toBe(
      operations.length
    )
    for (const { method, operation, route } of operations) {
      const of = all.filter(
        (probe) => probe.operation.route === route && probe.operation.method === method.toUpperCase()
      )
      for (const { in: place, name } of operation.parameters ?? []) {
        // Keys are drawn by an action of their own.
        if (place === "header") continue
        const forms = of.filter((probe) => probe.of === "field" && probe.field.path === name)
        expect([route, name, forms.some(({ form }) => form.refusal === null)]).toEqual([route, name, true])
        // The operator chooses a post's id: any text.
        if (name !== "postId") expect([route, name, refusals(forms).length > 3]).toEqual([route, name, true])
      }
      const body = operation.requestBody?.content["application/json"].schema.properties ?? {}
      for (const name of Object.keys(body)) {
        const forms = of.filter((probe) => probe.of === "field" && probe.field.path === name)
        expect([route, name, refusals(forms).length > 3]).toEqual([route, name, true])
        // A source is only accepted with its members.
        if (name !== "source")
          expect([route, name, refusals(forms).length < forms.length]).toEqual([route, name, true])
      }
    }
  })

  it("names every parameter and field of the document, so that one which it loses is missed [LIST-7, ERR-3]", () => {
    const ofDocument = Object.groupBy(
      all.flatMap((probe) =>
        probe.of === "field" && probe.field.place !== "path" && !probe.field.path.endsWith("[]")
          ? [{ id: probe.operation.id, path: probe.field.path }]
          : []
      ),
      ({ id }) => id
    )
    const sorted = (of: Readonly<Record<string, ReadonlyArray<string> | undefined>>) =>
      Object.entries(of)
        .map(([id, paths]) => [id, [...new Set(paths)].sort()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    const paths = Object.fromEntries(
      Object.entries(contractFields).map(([id, fields]) => [id, Object.keys(fields)])
    )
    expect(sorted(paths)).toEqual(
      sorted(
        Object.fromEntries(Object.entries(ofDocument).map(([id, of]) => [id, of!.map(({ path }) => path)]))
      )
    )
  })

  it("misses a bound that the document has otherwise than the interface [LIST-7, ERR-3]", () => {
    expect(missingField(flattened)).toBeNull()
    const withMax = (max: number) =>
      flattened.map((operation) => ({
        ...operation,
        fields: operation.fields.map((field) =>
          operation.id === "createKey" && field.path === "requestsPerMinute"
            ? { ...field, kind: { is: "integer", min: 1, max } as const }
            : field
        )
      }))
    expect(missingField(withMax(1_000_000))).toBeNull()
    expect(missingField(withMax(999_999))).toBe(
      '"integer 1..1000000, optional" for requestsPerMinute of createKey, and has "integer 1..999999, optional"'
    )
    expect(missingField(flattened.slice(1))).toContain(` of ${flattened[0]!.id}`)
  })

  it("writes an instant in no two ways alike, each a form of the interface", () => {
    const instant = Date.UTC(2026, 0, 5, 23, 59, 59, 999)
    const written = instantForms.map(({ write }) => write(instant))
    expect(new Set(written.map(({ text }) => text)).size).toBe(instantForms.length)
    expect(written.map(({ text }) => text)).toContain("2026-01-06T05:29:59.999+05:30")
    expect(written.find(({ text }) => text === "2026-01-05")?.means).toBe(Date.UTC(2026, 0, 5))
    for (const { means } of written) expect(instant - means).toBeLessThan(24 * 3_600_000)
  })

  it("is planned by a campaign of a thousand seeds nearly whole", () => {
    const drawn = new Set<string>()
    for (let seed = 1; seed <= 1000; seed++) {
      for (const action of planOf(scenarioNamed("swarm")!, seed, 0).actions)
        if (action.do === "probe") for (const name of action.probes) drawn.add(name)
    }
    const { exercised, missed, unreachable: left } = coverageOf(drawn)
    expect(exercised / reachable.length).toBeGreaterThan(0.99)
    expect(missed.length).toBe(reachable.length - exercised)
    expect(left.length).toBe(all.length - reachable.length)
    for (const { reason } of left) expect(reason.length).toBeGreaterThan(20)
  })

  it("says what is wrong with an answer", () => {
    const refused = { probes: [], status: 400, code: "invalid_parameter", names: "name", isFirst: true }
    const answer = (status: number, body: unknown, headers = {}) => ({ status, body, headers })
    const error = (code: string, message: string) => ({ error: { code, message } })
    expect(difference(refused, answer(400, error("invalid_parameter", "name is required.")))).toBeNull()
    expect(difference(refused, answer(400, error("invalid_parameter", "The name is required.")))).toContain(
      "begin with name"
    )
    expect(difference(refused, answer(400, error("not_found", "name")))).toContain(
      "not_found, not invalid_parameter"
    )
    expect(difference(refused, answer(201, {}))).toBe("was answered 201, not 400")
    expect(difference({ ...refused, status: 401 }, answer(401, {}))).toContain("WWW-Authenticate")
    const taken = { probes: [], status: 200, code: null, names: null }
    expect(
      difference({ ...taken, shows: { "data.name": "a" } }, answer(200, { data: { name: "b" } }))
    ).toContain('"b" as data.name')
    expect(difference({ ...taken, warns: ["x"] }, answer(200, { meta: {} }))).toBe("has 0 warnings, not 1")
    const outcomes = [{ outcome: "rejected", names: "person.name" }]
    const outcome = { outcome: "rejected", leadId: null, message: "person.name is required." }
    expect(difference({ ...taken, outcomes }, answer(200, { data: [outcome] }))).toBeNull()
    expect(difference({ ...taken, outcomes }, answer(200, { data: [{ ...outcome, leadId: 1 }] }))).toContain(
      "has the lead 1"
    )
    expect(difference({ ...taken, outcomes }, answer(200, { data: [] }))).toContain(
      "1 observations got 0 outcomes"
    )
  })
})

/** How many probes a run has. */
const atOnce = 150

/** Every so many probes: all of them in a thorough run, else as many as one run has. */
const step = isThorough ? 1 : Math.ceil(reachable.length / atOnce)

describe("the service", () => {
  it.each(["memory", "sqlite"] as const)(
    "takes and refuses the forms of every input as the contract says, over %s [ERR-2, ERR-3, OPER-3, OPER-4, OBS-2, LIST-6, TIME-3, DET-3]",
    async (store) => {
      const names = reachable.map(({ name }) => name).filter((_, i) => i % step === 0)
      const exercised = new Set<string>()
      for (let from = 0; from < names.length; from += atOnce) {
        const report = run(probingInput(names.slice(from, from + atOnce)), store)
        expect([report.outcome, report.violation]).toEqual(["passed", null])
        for (const name of report.exercised) exercised.add(name)
        await nextTick()
      }
      expect(names.filter((name) => !exercised.has(name))).toEqual([])
    }
  )

  it("may record a body that is only too late where the process stands still until it is there [ERR-6, OBS-6]", () => {
    let recorded = 0
    for (const name of ["a line whose pieces take too long", "a line that begins too late"]) {
      for (let seed = 1; seed <= 10; seed++) {
        const probe = `recordObservations: ${name}`
        const input = probingInput([probe], seed)
        // From before the line's time is over until all of it is there.
        const pause = { at: 46_000, fault: "pause", millis: 41_500 } as const
        const plan = { ...input.plan, scheduledFaults: [pause] }
        const report = run({ ...input, schedule: { kind: "seed", seed }, plan })
        expect([name, seed, report.outcome, report.violation]).toEqual([name, seed, "passed", null])
        // A probe whose refusal the pause prevented does not count as exercised.
        if (!report.exercised.has(probe)) recorded++
      }
    }
    expect(recorded).toBeGreaterThan(0)
  })
})
