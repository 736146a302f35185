/** Simpler versions of an action, for counterexamples: less of it, in its plainest form. */
import type { Action, PlannedQuery, Sighting } from "./plan/Plan.ts"
import { everything } from "./plan/Queries.ts"

const plainSighting = ({ engagement, person, signal }: Sighting): Sighting => ({
  signal,
  person: { extId: person.extId, name: person.name },
  engagement: { id: engagement.id }
})

const simplerSightings = (seen: ReadonlyArray<Sighting>): ReadonlyArray<ReadonlyArray<Sighting>> =>
  seen.flatMap((one, i) => {
    const plain = plainSighting(one)
    if (JSON.stringify(plain) === JSON.stringify(one)) return []
    const { person, written, ...rest } = one
    const { engagement } = rest
    const withoutRaw: Sighting = {
      signal: one.signal,
      person,
      engagement,
      ...(written === undefined ? {} : { written })
    }
    return [
      seen.with(i, plain),
      seen.with(i, { ...one, person: plain.person }),
      seen.with(i, { ...plain, person }),
      ...(one.raw === undefined ? [] : [seen.with(i, withoutRaw)])
    ]
  })

const simplerQueries = (query: PlannedQuery): ReadonlyArray<PlannedQuery> =>
  [
    everything,
    { ...everything, bounds: query.bounds },
    { ...everything, search: query.search },
    { ...query, bounds: [] },
    { ...query, flags: {} },
    { ...query, search: null },
    { ...query, signal: null },
    { ...query, engagements: "none" as const },
    { ...query, page: 1, pageSize: 25 },
    ...(query.bounds.length > 1
      ? query.bounds.map((_, i) => ({ ...query, bounds: query.bounds.filter((_, other) => other !== i) }))
      : [])
  ].filter((simpler) => JSON.stringify(simpler) !== JSON.stringify(query))

/** The simplest first; empty where nothing can be simpler. */
export const simplerActions = (action: Action): ReadonlyArray<Action> => {
  switch (action.do) {
    case "observe":
    case "again": {
      const { isLines, ...plain } = action
      const { arrival, isLong, ...usual } = action
      return [
        ...(arrival === undefined && isLong === undefined ? [] : [usual]),
        ...(isLines === true ? [plain] : []),
        ...simplerSightings(action.seen).map((seen) => ({ ...action, seen }))
      ]
    }
    case "load":
      return [1, Math.floor(action.people / 8), Math.floor(action.people / 2), action.people - 1]
        .filter((people, i, all) => people >= 1 && people < action.people && all.indexOf(people) === i)
        .map((people) => ({ ...action, people }))
    case "list": {
      const { next = [], ...alone } = action
      return [
        ...(next.length === 0 ? [] : [alone]),
        ...(next.length < 2 ? [] : next.map((_, i) => ({ ...action, next: next.toSpliced(i, 1) }))),
        ...simplerQueries(action.query).map((query) => ({ ...action, query }))
      ]
    }
    case "walk":
      return simplerQueries(action.query).map((query) => ({ ...action, query }))
    case "crowd":
      return action.leaves.length === 1
        ? []
        : action.leaves.map((_, i) => ({ ...action, leaves: action.leaves.toSpliced(i, 1) }))
    case "burst":
      return [Math.ceil(action.requests / 8), Math.ceil(action.requests / 2)]
        .filter((requests) => requests < action.requests)
        .map((requests) => ({ ...action, requests }))
    case "access":
      return action.uses.map((_, i) => ({ ...action, uses: action.uses.toSpliced(i, 1) }))
    case "session":
      return action.uses.map((_, i) => ({ ...action, uses: action.uses.toSpliced(i, 1) }))
    case "stream": {
      const { listeners = 1, ...alone } = action
      return [
        ...(listeners === 1 ? [] : [alone, { ...action, listeners: listeners >> 1 }]),
        ...(action.reads.length === 1
          ? []
          : action.reads.map((_, i) => ({ ...action, reads: action.reads.toSpliced(i, 1) })))
      ]
    }
    case "keyed":
      return action.tries.slice(1).map((_, i) => ({ ...action, tries: action.tries.toSpliced(i + 1, 1) }))
    case "tenant":
      return action.people > 1 || action.useMillis > 0 ? [{ ...action, people: 1, useMillis: 0 }] : []
    default:
      return []
  }
}
