/**
 * Transactions of writing methods, of two or three nodes, stepped statement by statement: whatever the order, the answers and the end state
 * are those of one after the other. The pairs are those of several test files, which run side by side.
 */
import { afterAll, beforeAll, expect } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { Schedules } from "./Schedules.ts"
import type { SteppedNode } from "./Stepper.ts"
import type { MethodGroup } from "./MethodGroup.ts"
import { SteppedStore } from "./SteppedStore.ts"
import { leadMethods } from "./WritingMethods.ts"

/** Call in a `describe`: so many nodes over one store, while its tests run. */
export const steppedStore = (nodes: number) => steppedStoreOf(leadMethods, nodes)

/** The same for methods of another group. */
export const steppedStoreOf = <World extends { readonly brand: { readonly id: string } }>(
  group: MethodGroup<World>,
  nodes: number
): SteppedStore<World> => {
  const store = new SteppedStore(group, nodes)
  beforeAll(() => store.open())
  afterAll(() => store.close())
  return store
}

/** What the checks need of a store, whatever its methods work on. */
type Interleaved = Pick<SteppedStore<never>, "interleaved" | "nodes" | "serialOutcomes">

/** Runs the methods in every order with so few preemptions, the first so many orders at most. Answers how many there were. */
export const checkOrders = async (
  store: Interleaved,
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

/**
 * Lets the first run so many statements, then the other so many, then each to its end: with each number, and each of the two first. Answers
 * how many runs there were.
 */
export const checkPair = async (
  store: Interleaved,
  names: readonly [string, string],
  statementsOfOther: ReadonlyArray<number> = isThorough ? [1, 3, 100] : [100]
): Promise<number> => {
  let runs = 0
  const expected = await store.serialOutcomes(names)
  for (const first of [0, 1] as const) {
    for (const other of statementsOfOther) {
      for (let one = 1, steps = Number.POSITIVE_INFINITY; one < steps; one++) {
        let count = 0
        const made = await store.interleaved(names, (standing) => {
          count++
          const wanted = store.nodes[count <= one || count > one + other ? first : 1 - first]!
          return standing.includes(wanted) ? wanted : standing[0]!
        })
        runs++
        steps = made.steps[first]!
        if (!expected.includes(made.outcome)) {
          expect(made.outcome, `${names[first]} stopped after ${one} statements, ${other} of the other`).toBe(
            expected[0]
          )
        }
      }
    }
  }
  return runs
}

type Pair = readonly [string, string]

const all = Object.keys(leadMethods.methods)
const prunings = all.filter((name) => name.startsWith("pruning"))
/** Queue what only a pruning bears on. */
const queuesUnsent: ReadonlySet<string> = new Set([
  "queue of an event that was never sent",
  "queue of the event of a quiet lead"
])
const others = all.filter((name) => !prunings.includes(name) && !queuesUnsent.has(name))
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
