/**
 * Transactions of writing methods, of two or three nodes, stepped statement by statement: whatever the order, the answers and the end state
 * are those of one after the other. The pairs are those of several test files, which run side by side.
 */
import { afterAll, beforeAll, expect } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { Schedules } from "./Schedules.ts"
import type { SteppedNode } from "./Stepper.ts"
import { SteppedStore } from "./SteppedStore.ts"
import { methods } from "./WritingMethods.ts"

/** Call in a `describe`: so many nodes over one store, while its tests run. */
export const steppedStore = (nodes: number): SteppedStore => {
  const store = new SteppedStore(nodes)
  beforeAll(() => store.open())
  afterAll(() => store.close())
  return store
}

/** Runs the methods in every order with so few preemptions, the first so many orders at most. Answers how many there were. */
export const checkOrders = async (
  store: SteppedStore,
  names: ReadonlyArray<string>,
  { maxOrders, maxPreemptions }: { readonly maxOrders: number; readonly maxPreemptions: number }
): Promise<number> => {
  const expected = await store.serialOutcomes(names)
  const schedules = new Schedules<SteppedNode>(maxPreemptions)
  let orders = 0
  do {
    const { outcome } = await store.interleaved(names, (standing) => schedules.choose(standing))
    orders++
    if (!expected.includes(outcome)) expect(outcome, `order ${schedules.rendered()}`).toBe(expected[0])
  } while (orders < maxOrders && schedules.next())
  return orders
}

/** Lets the first run so many statements, then the other so many, then each to its end: with each number, and each of the two first. */
export const checkPair = async (store: SteppedStore, names: readonly [string, string]): Promise<void> => {
  const expected = await store.serialOutcomes(names)
  for (const first of [0, 1] as const) {
    for (const other of isThorough ? [1, 3, 100] : [100]) {
      for (let one = 1, steps = Number.POSITIVE_INFINITY; one < steps; one++) {
        let count = 0
        const made = await store.interleaved(names, (standing) => {
          count++
          const wanted = store.nodes[count <= one || count > one + other ? first : 1 - first]!
          return standing.includes(wanted) ? wanted : standing[0]!
        })
        steps = made.steps[first]!
        if (!expected.includes(made.outcome)) {
          expect(made.outcome, `${names[first]} stopped after ${one} statements, ${other} of the other`).toBe(
            expected[0]
          )
        }
      }
    }
  }
}

type Pair = readonly [string, string]

const all = Object.keys(methods)
const prunings = all.filter((name) => name.startsWith("pruning"))
const others = all.filter(
  (name) => !prunings.includes(name) && name !== "queue of an event that was never sent"
)
const isOfLeads = (name: string): boolean =>
  /^(?:commit|amend|erase|removeSome|deletion of the signal|beginning of the brand|end of the brand)/.test(
    name
  )
/** Methods that write or send what a pruning removes. */
const meetPrunings = /^(?:queue|record of a success|commit of a known lead|erase$|lease$|recover)/

const pairsOf = (names: ReadonlyArray<string>): ReadonlyArray<Pair> =>
  names.flatMap((a, i) => names.slice(i).map((b) => [a, b] as const))

const pairsOfOthers = pairsOf(others)
const between = ([a, b]: Pair): boolean => isOfLeads(a) !== isOfLeads(b)

/** Every two methods of which one may bear on the other. */
export const pairs = {
  ofLeads: pairsOfOthers.filter((pair) => !between(pair) && isOfLeads(pair[0])),
  ofDeliveries: pairsOfOthers.filter((pair) => !between(pair) && !isOfLeads(pair[0])),
  between: pairsOfOthers.filter(between),
  ofPrunings: [
    ...prunings.flatMap((a) => all.filter((b) => meetPrunings.test(b)).map((b) => [a, b] as const)),
    ...prunings.map((a) => [a, a] as const)
  ]
} as const
