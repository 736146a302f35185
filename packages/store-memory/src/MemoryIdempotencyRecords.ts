/** Idempotency-Keys in memory, and the writes that are committed on behalf of their reservations. */
import {
  currentReservation,
  Idempotency,
  IdempotencyRecords,
  reservationLost,
  type StoreEffect,
  storePorts,
  type StoreServices
} from "@lead-signals/domain"
import { Clock, Context, Effect, Exit, FiberRef, Layer, Runtime } from "effect"
import { type Memory, MemoryState } from "./MemoryState.ts"

const make = Effect.map(MemoryState, ({ memory: { idempotencyRecords: records } }) =>
  IdempotencyRecords.of({
    reserve: (request) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const kept = records.get(request.id) ?? null
        const { isNew, put, reserved } = Idempotency.reserve(kept, request, now)
        const ofActor = () => [...records.values()].filter(({ actor }) => actor === request.actor).length
        if (isNew && ofActor() >= Idempotency.maxPerActor) return { type: "tooMany" }
        if (put !== null) records.set(put.id, put)
        return reserved
      }),
    complete: (reservation, answer) =>
      Effect.sync(() => {
        const kept = records.get(reservation.id) ?? null
        if (kept !== null && Idempotency.isHeld(kept, reservation))
          records.set(kept.id, { ...kept, state: "answered", answer })
      }),
    release: (reservation) =>
      Effect.sync(() => {
        const kept = records.get(reservation.id) ?? null
        if (Idempotency.isHeld(kept, reservation) && kept?.state === "reserved") records.delete(kept.id)
      }),
    prune: ({ before, limit }) =>
      Effect.sync(() => {
        const due = [...records.values()]
          .filter(({ createdAt }) => createdAt < before)
          .sort((a, b) => a.createdAt - b.createdAt)
          .slice(0, limit)
        for (const { id } of due) records.delete(id)
        return due.length
      })
  })
)

/** The port of Idempotency-Keys. */
export const layer = Layer.effect(IdempotencyRecords, make)

/** The write as it is on behalf of the fiber's reservation: the check, the write and the mark are one step. [IDEM-3] */
const heldWrite = <A>({ idempotencyRecords: records }: Memory, write: StoreEffect<A>): StoreEffect<A> =>
  Effect.flatMap(FiberRef.get(currentReservation), (reservation) => {
    if (reservation === null) return write
    return Effect.flatMap(Effect.runtime(), (runtime) =>
      Effect.suspend(() => {
        const kept = records.get(reservation.id) ?? null
        if (kept === null || !Idempotency.isHeld(kept, reservation)) return Effect.fail(reservationLost())
        const exit = Runtime.runSyncExit(runtime)(write)
        if (Exit.isSuccess(exit)) records.set(kept.id, { ...kept, state: "applied" })
        return exit
      })
    )
  })

/** The ports that calls with an Idempotency-Key write. */
const keyedPorts = [
  "brands",
  "keys",
  "accessTokens",
  "signals",
  "campaigns",
  "webhooks",
  "deliveries"
] as const satisfies ReadonlyArray<keyof StoreServices>

/** The stores with their writes bound to the reservation of the fiber that makes them. */
export const bound = <R>(memory: Memory, stores: Context.Context<R>): Context.Context<R> =>
  keyedPorts.reduce((context, port) => {
    const tag = storePorts[port] as unknown as Context.Tag<R, Record<string, unknown>>
    const service = Context.get(context as Context.Context<any>, tag as never) as Record<string, unknown>
    const writes = Object.entries(storePorts[port].operations)
      .filter(([, operation]) => operation === "write")
      .map(([method]) => {
        const write = service[method] as (...args: ReadonlyArray<unknown>) => StoreEffect<unknown>
        return [method, (...args: ReadonlyArray<unknown>) => heldWrite(memory, write(...args))]
      })
    return Context.add(context, tag, { ...service, ...Object.fromEntries(writes) }) as Context.Context<R>
  }, stores)
