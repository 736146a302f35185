import {
  activityDetectedView,
  deliveryBodyView,
  type EngagementRead,
  envelopeView,
  type Lead,
  leadCreatedView,
  Observation,
  Observations,
  ObservedPerson,
  Profiles,
  type Signal
} from "@lead-signals/domain"
import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

const observation = (person: object = {}, engagement: object = {}): Observation =>
  Schema.decodeUnknownSync(Observation)({
    signalId: "7",
    person: { extId: "p-1", name: "Ada", ...person },
    engagement: { id: "e-1", ...engagement },
    raw: { secret: "internal" }
  })

const fresh: Observations.CurrentState = {
  signalExists: true,
  engagementOf: null,
  personSuppressed: false,
  authorSuppressed: false,
  lead: null
}

const recorded = (decision: Observations.Decision) => {
  if (decision.outcome !== "recorded") throw new Error(`was ${decision.outcome}`)
  return decision
}

const observe = (seen: Observation, known: Observations.CurrentState = fresh, now = 1000) =>
  Observations.observe("1", seen, known, now)

const leadAfter = (seen: Observation, now = 1000): Lead => ({
  ...recorded(observe(seen, fresh, now)).lead,
  id: 41
})

const signal: Signal = {
  id: "7",
  brandId: "1",
  name: "Rivals",
  signalType: "competitor-posts",
  source: { type: "post-url", value: "https://x.example", liCompanyId: null, company: null },
  createdAt: 0
}

describe("what an observation changes", () => {
  it("makes a lead of a person not seen before, and fires both events [EVT-2, EVT-3]", () => {
    const { events, lead } = recorded(observe(observation()))
    expect(events).toEqual([
      { event: "lead2.created", isFirstActivity: false },
      { event: "activity.detected", isFirstActivity: true }
    ])
    expect(lead).toMatchObject({
      extId: "p-1",
      signalId: "7",
      signalIds: ["7"],
      createdAt: 1000,
      updatedAt: 1000
    })
  })

  it("fires one activity.detected for each further engagement, not the first [EVT-3]", () => {
    const known = { ...fresh, lead: leadAfter(observation()) }
    const { events, lead } = recorded(observe(observation({}, { id: "e-2" }), known, 5000))
    expect(events).toEqual([{ event: "activity.detected", isFirstActivity: false }])
    expect(lead).toMatchObject({ createdAt: 1000, updatedAt: 5000 })
  })

  it("changes nothing and fires nothing for an engagement that is known [EVT-8]", () => {
    const known = { ...fresh, lead: leadAfter(observation()), engagementOf: 41 }
    expect(observe(observation({ name: "Other" }), known)).toEqual({ outcome: "duplicate", leadId: 41 })
  })

  it("suppresses an erased person, also one whose engagement would be new [PII-3, EVT-2]", () => {
    expect(observe(observation(), { ...fresh, personSuppressed: true })).toEqual({ outcome: "suppressed" })
  })

  it("keeps nothing of a post whose author was erased [PII-3]", () => {
    const seen = observation(
      {},
      { postUrl: "u", postContent: "c", postAuthor: "Bo", postAuthorDetail: { extId: "p-2", name: "Bo" } }
    )
    expect(recorded(observe(seen, { ...fresh, authorSuppressed: true })).engagement).toMatchObject({
      postUrl: null,
      postContent: null,
      postAuthor: null,
      postAuthorDetail: null
    })
  })

  it("rejects a signal that the brand doesn't have, and names the field [ERR-3]", () => {
    expect(observe(observation(), { ...fresh, signalExists: false })).toMatchObject({
      outcome: "rejected",
      message: expect.stringMatching(/^signalId /)
    })
  })

  it("keeps reactionType on reactions and commentText on comments only [ENG-2]", () => {
    const both = { reactionType: "LIKE", commentText: "hi" }
    const kept = (type: string | null) => recorded(observe(observation({}, { ...both, type }))).engagement
    expect(kept("reaction")).toMatchObject({ reactionType: "LIKE", commentText: null })
    expect(kept("comment")).toMatchObject({ reactionType: null, commentText: "hi" })
    expect(kept("repost")).toMatchObject({ reactionType: null, commentText: null })
    expect(kept(null)).toMatchObject({ reactionType: null, commentText: null })
  })

  it("drops what is for internal use on reading, wherever it stands [ENG-9]", () => {
    const seen = observation(
      { raw: "internal" },
      { scrape: "internal", postAuthorDetail: { name: "Bo", token: "internal" } }
    )
    expect(JSON.stringify([seen, observe(seen)])).not.toContain("internal")
  })

  it("gathers the signals in the order of their numbers [LIST-8]", () => {
    const seen = { ...observation({}, { id: "e-2" }), signalId: "10" }
    const known = { ...fresh, lead: { ...leadAfter(observation()), signalIds: ["7", "9"] } }
    expect(recorded(observe(seen, known)).lead).toMatchObject({ signalId: "7", signalIds: ["7", "9", "10"] })
  })

  it("never takes updatedAt back, whatever the clock does [OBS-10]", () => {
    const known = { ...fresh, lead: leadAfter(observation(), 9000) }
    expect(recorded(observe(observation({}, { id: "e-2" }), known, 10)).lead.updatedAt).toBe(9000)
  })
})

describe("what is known of a person", () => {
  const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary)
  const seen = fc.record({
    trackedAt: fc.nat(5),
    person: fc
      .record({
        extId: fc.constant("p"),
        name: fc.constantFrom("A", "B", "C"),
        headline: maybe(fc.constantFrom("x", "y", "z")),
        username: maybe(fc.constantFrom("u", "v"))
      })
      .map((person) => Schema.decodeSync(ObservedPerson)(person))
  })

  it("ends the same whatever the order of arrival [OBS-9]", () => {
    fc.assert(
      fc.property(
        fc
          .array(seen, { minLength: 1, maxLength: 7 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const end = (sightings: typeof all) =>
            sightings.reduce<Profiles.CurrentProfile | null>(
              (known, s) => Profiles.merge(known, s.person, s.trackedAt),
              null
            )
          expect(end(shuffled)).toEqual(end(all))
        }
      ),
      { numRuns: cases(3000) }
    )
  })

  it("takes the newest value that is not null, field by field [OBS-9]", () => {
    fc.assert(
      fc.property(fc.uniqueArray(seen, { selector: (s) => s.trackedAt, minLength: 1 }), (all) => {
        const end = all.reduce<Profiles.CurrentProfile | null>(
          (known, s) => Profiles.merge(known, s.person, s.trackedAt),
          null
        )
        const newest = [...all].sort((a, b) => b.trackedAt - a.trackedAt)
        for (const field of ["name", "headline", "username"] as const) {
          expect(end!.profile[field]).toBe(
            newest.map((s) => s.person[field]).find((value) => value !== null) ?? null
          )
        }
      }),
      { numRuns: cases(2000) }
    )
  })
})

describe("events as they are rendered", () => {
  const lead = leadAfter(
    observation({ headline: "CEO", company: { id: 12, name: "N", domain: "n.example" } })
  )
  const read: EngagementRead = {
    engagement: {
      ...recorded(observe(observation({}, { postAuthorDetail: { name: "Bo" }, postAuthor: "Bo" })))
        .engagement,
      leadId: 41
    },
    signal,
    authorLead: null
  }
  const event = (type: "lead2.created" | "activity.detected") => ({
    event: type,
    brandId: "1",
    leadId: 41,
    engagementId: "e-1",
    isFirstActivity: true,
    occurredAt: Date.UTC(2026, 0, 5, 10)
  })
  const lead2Keys = [
    "id",
    "extId",
    "name",
    "headline",
    "username",
    "title1",
    "liProfileUrl",
    "profileImgUrl",
    "leadCompany"
  ]

  it("has the envelope's keys, and version 1 [EVT-1, VER-2]", () => {
    expect(envelopeView("wh_1", event("lead2.created"), leadCreatedView(lead, []))).toEqual({
      id: "wh_1",
      event: "lead2.created",
      version: "1",
      createdAt: "2026-01-05T10:00:00.000Z",
      brandId: "1",
      data: { lead2: expect.anything(), engagements: [] }
    })
  })

  it("has exactly the specified keys in lead2, and of its event in data [EVT-4]", () => {
    const created = leadCreatedView(lead, [read])
    const activity = activityDetectedView(true, lead, [read])
    expect(Object.keys(created)).toEqual(["lead2", "engagements"])
    expect(Object.keys(activity)).toEqual(["isFirstActivity", "lead2", "engagements"])
    expect(Object.keys(created.lead2)).toEqual(lead2Keys)
    expect(created.lead2.leadCompany).toEqual({ id: 12, name: "N", domain: "n.example" })
    expect(activity.engagements).toHaveLength(1)
  })

  it("is never made of an activity whose engagement is gone, but of a new lead's without any [EVT-3, EVT-4]", () => {
    const body = (type: "lead2.created" | "activity.detected", engagements: ReadonlyArray<EngagementRead>) =>
      deliveryBodyView({
        deliveryId: "wh_1",
        webhookId: "1",
        format: "envelope",
        brandId: "1",
        createdAt: 0,
        subject: event(type),
        lead,
        engagements
      })
    expect(() => body("activity.detected", [])).toThrow("without its lead or engagement")
    expect(body("activity.detected", [read]).data).toEqual(activityDetectedView(true, lead, [read]))
    expect(body("lead2.created", []).data).toEqual(leadCreatedView(lead, []))
  })

  it("always has postAuthorDetail and source, and postAuthor as a text [EVT-6, DET-4]", () => {
    for (const [engagement] of [
      leadCreatedView(lead, [read]).engagements,
      activityDetectedView(false, lead, [read]).engagements
    ]) {
      expect(engagement).toMatchObject({
        postAuthor: "Bo",
        postAuthorDetail: { name: "Bo" },
        source: { type: "post-url" }
      })
    }
  })
})
