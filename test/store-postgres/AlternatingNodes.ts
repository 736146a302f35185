/** Two layers as one store, of which each call of a method goes to the other one than the call before. */
import { storePorts, type StorePorts, type StoreUnavailable } from "@lead-signals/domain"
import { Context, Effect, Layer } from "effect"

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
type Port = Readonly<Record<string, Method | Effect.Effect<unknown>>>

/** The node that notes a key's last use shows it before it has written it, and others only then. */
const isOfOneNode = (port: Port, name: string): boolean =>
  "markUsed" in port && (name === "markUsed" || name === "list")

/** A port whose calls go to the two in turn. `Outbox.queued`, which waits, ends when both were woken. */
const alternate = (of: readonly [Port, Port], next: () => 0 | 1): Port =>
  Object.fromEntries(
    Object.entries(of[0]).map(([name, value]) => {
      if (name === "queued") {
        const both = of.map((port) => port[name] as Effect.Effect<unknown>)
        return [name, Effect.asVoid(Effect.all(both, { concurrency: "unbounded" }))]
      }
      if (isOfOneNode(of[0], name)) return [name, value]
      return Effect.isEffect(value)
        ? [name, Effect.suspend(() => of[next()][name] as Effect.Effect<unknown>)]
        : [
            name,
            (...args: ReadonlyArray<unknown>) => Effect.suspend(() => (of[next()][name] as Method)(...args))
          ]
    })
  )

export const alternating = (
  layer: Layer.Layer<StorePorts, StoreUnavailable>,
  other: Layer.Layer<StorePorts, StoreUnavailable>
): Layer.Layer<StorePorts, StoreUnavailable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const contexts = [yield* Layer.build(layer), yield* Layer.build(other)] as const
      let count = 0
      const next = () => (count++ % 2) as 0 | 1
      let made = Context.empty() as Context.Context<unknown>
      for (const tag of Object.values(storePorts)) {
        const of = contexts.map((context) =>
          Context.unsafeGet(context as Context.Context<unknown>, tag as never)
        )
        made = Context.add(
          made,
          tag as never,
          alternate(of as unknown as readonly [Port, Port], next) as never
        ) as never
      }
      return made as Context.Context<StorePorts>
    })
  )
