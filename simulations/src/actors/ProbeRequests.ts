/** The request of a probe, what it means, and what the contract says of its answer. */
import { Effect } from "effect"
import { isCalm } from "../plan/Plan.ts"
import { companions, correctBody, pathTexts, place } from "../vocabulary/CorrectRequests.ts"
import { IdOf, type IdKind, Raw } from "../vocabulary/Form.ts"
import { type FieldProbe, isRefused, type Probe } from "../vocabulary/Probes.ts"
import type { Field } from "../vocabulary/Operations.ts"
import type { Json, KnownBrand } from "../world/KnownFacts.ts"
import type { ActorContext } from "./ActorContext.ts"
import type { ProbeTargets } from "./ProbeTargets.ts"

/** A probe with all that it refers to. */
export interface Resolved {
  readonly home: KnownBrand
  readonly params: Readonly<Record<string, string>>
  /** The value of the field that is probed, as it is sent. */
  readonly value: unknown
  /** As it is sent, and as it is meant. */
  readonly sent: Json
  readonly meant: Json
}

const idKindOf = ({ format }: Field): IdKind | null => (format?.is === "id" ? format.kind : null)

const isWrite = ({ operation }: Probe): boolean => operation.method !== "GET"

const valueOf = (probe: Probe): unknown => (probe.of === "field" ? probe.form.value : undefined)

/** The kinds of things that the request names. */
const kindsNeeded = (probe: Probe): ReadonlyArray<IdKind> => {
  const value = valueOf(probe)
  const ofPath = probe.operation.fields.flatMap((field) =>
    field.place === "path" ? (idKindOf(field) ?? []) : []
  )
  return [
    ...ofPath,
    ...(value instanceof IdOf ? [value.kind] : []),
    ...(probe.operation.id === "resendLead" ? (["webhook"] as const) : [])
  ]
}

const observes = ({ operation }: Probe): boolean => operation.id === "recordObservations"

/** The brand of the request: a tenant where something comes into being or is gone. */
const homeOf = (targets: ProbeTargets, probe: Probe): Effect.Effect<KnownBrand> =>
  Effect.gen(function* () {
    const value = valueOf(probe)
    if (value instanceof IdOf && value.whose === "deleted") return yield* targets.tenant
    if (observes(probe)) return targets.main
    if (isWrite(probe) && !isRefused(probe)) return yield* targets.tenant
    for (const kind of kindsNeeded(probe)) {
      if ((yield* targets.own(targets.main, kind)) === null) return yield* targets.tenant
    }
    return targets.main
  })

class Nothing {
  readonly _tag = "Nothing"
}

const found = (id: string | null): Effect.Effect<string, Nothing> =>
  id === null ? Effect.fail(new Nothing()) : Effect.succeed(id)

const idOf = (
  targets: ProbeTargets,
  home: KnownBrand,
  { kind, whose, write }: IdOf
): Effect.Effect<unknown, Nothing> => {
  const id =
    whose === "own"
      ? targets.own(home, kind)
      : whose === "foreign"
        ? targets.foreign(home, kind)
        : targets.deleted(kind)
  return Effect.map(Effect.flatMap(id, found), write)
}

const resolvedValue = (
  targets: ProbeTargets,
  home: KnownBrand,
  value: unknown
): Effect.Effect<unknown, Nothing> => {
  if (value instanceof IdOf) return idOf(targets, home, value)
  if (Array.isArray(value) && value.some((each) => each instanceof IdOf))
    return Effect.forEach(value, (each) => resolvedValue(targets, home, each))
  if (value instanceof Raw || typeof value !== "object" || value === null || Array.isArray(value))
    return Effect.succeed(value)
  return Effect.map(
    Effect.forEach(Object.entries(value), ([key, inner]) =>
      Effect.map(resolvedValue(targets, home, inner), (found) => [key, found] as const)
    ),
    Object.fromEntries
  )
}

const paramsOf = (
  targets: ProbeTargets,
  home: KnownBrand,
  probe: Probe
): Effect.Effect<Record<string, string>, Nothing> =>
  Effect.gen(function* () {
    const params: Record<string, string> = {}
    const inPath = probe.operation.fields.filter((field) => field.place === "path")
    for (const field of inPath) {
      const kind = idKindOf(field)
      if (probe.of === "field" && probe.field === field) {
        const value = probe.form.value
        params[field.path] =
          consumes(probe) &&
          field === inPath.at(-1) &&
          kind !== null &&
          value instanceof IdOf &&
          value.whose === "own"
            ? (value.write(yield* targets.fresh(kind)) as string)
            : ((yield* resolvedValue(targets, home, value)) as string)
      } else if (kind === null) params[field.path] = pathTexts[field.path]!
      else {
        const isFresh = consumes(probe) && field === inPath.at(-1)
        params[field.path] = isFresh
          ? yield* targets.fresh(kind)
          : yield* Effect.flatMap(targets.own(home, kind), found)
      }
    }
    return params
  })

/** Whether the thing that the path names is of no use to other probes afterwards. */
const consumes = (probe: Probe): boolean =>
  !isRefused(probe) && (probe.operation.method === "DELETE" || probe.operation.id === "changeWebhook")

/** Fails with `Nothing` where the probe needs something that does not exist. */
export const resolve = (
  targets: ProbeTargets,
  probe: Probe,
  observation: (home: KnownBrand) => object
): Effect.Effect<Resolved, Nothing> =>
  Effect.gen(function* () {
    const home = yield* homeOf(targets, probe)
    const params = yield* paramsOf(targets, home, probe)
    const value = yield* resolvedValue(targets, home, valueOf(probe))
    if (!probe.operation.hasBody) return { home, params, value, sent: undefined, meant: undefined }
    const base = correctBody(probe.operation.id, observation(home))
    const sent = yield* resolvedValue(targets, home, base) as Effect.Effect<Json, Nothing>
    if (probe.operation.id === "recordObservations") sent.observations = [observation(home)]
    const meant = structuredClone(sent)
    if (probe.of === "field" && probe.field.place === "body") {
      placeField(sent, probe, value)
      placeField(meant, probe, "means" in probe.form ? meaningOf(probe) : value)
    }
    return { home, params, value, sent, meant }
  })

const placeField = (body: Json, { field, form }: FieldProbe, value: unknown): void => {
  for (const [path, other] of Object.entries({ ...companions(field.path), ...form.within })) {
    if (path !== field.path) place(body, path, other)
  }
  place(body, field.path, value)
}

/** Instants are shown as text. */
const meaningOf = ({ field, form }: FieldProbe): unknown =>
  field.format?.is === "timestamp" && typeof form.means === "number"
    ? new Date(form.means).toISOString()
    : form.means

/** The body as JSON, with what no value is written as. */
export const jsonOf = (body: Json): string => {
  const texts: Array<string> = []
  const json = JSON.stringify(body, (_, value: unknown) => {
    if (!(value instanceof Raw)) return value
    texts.push(value.text)
    return `\uFFFFraw${texts.length - 1}`
  })
  return texts.reduce((text, raw, i) => text.replace(`"\uFFFFraw${i}"`, raw), json)
}

/** Whether what is named may be gone: a lead that is erased meanwhile, or something whose deletion is repeated. */
export const mayBeGone = (
  { facts }: ActorContext,
  targets: ProbeTargets,
  probe: Probe,
  { home, params }: Resolved
): boolean => {
  if (isRefused(probe)) return false
  if (probe.operation.method === "DELETE") return !isCalm(facts.plan)
  return params["id"] !== undefined && targets.mayBeErased(home, String(Number(params["id"])))
}
