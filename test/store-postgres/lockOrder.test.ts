/**
 * The order in which transactions lock rows: each writing method runs alone, statement by statement, and what it holds is compared with the
 * order that all keep. Of two that keep it, neither waits for what the other gets only afterwards.
 *
 * @slow runs each of some sixty methods several times in thorough runs
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { deletedDirectoryMethods, directoryMethods } from "./DirectoryMethods.ts"
import { LockOrderCheck } from "./LockOrder.ts"
import type { MethodGroup } from "./MethodGroup.ts"
import { orderedMethods } from "./OrderedMethods.ts"
import { leadMethods } from "./WritingMethods.ts"

const checkAll = <World extends { readonly brand: { readonly id: string } }>(
  what: string,
  group: MethodGroup<World>,
  isEncrypted: boolean,
  names: ReadonlyArray<string> = Object.keys(group.methods)
): void => {
  describe.skipIf(isWithoutPostgres)(`methods on ${what}`, () => {
    const store = new LockOrderCheck(group, isEncrypted)
    beforeAll(() => store.open())
    afterAll(() => store.close())

    it.each(names)(
      "%s locks in the order of all transactions [STORE-11]",
      { timeout: 60_000 },
      async (name) => {
        const { problems } = await store.check(name)
        expect(problems.join("\n")).toBe("")
      }
    )
  })
}

if (isThorough) {
  checkAll("leads and deliveries", leadMethods, false)
  checkAll("leads and deliveries of an encrypted database", leadMethods, true)
  checkAll("ordered webhooks", orderedMethods, false)
  checkAll("a brand's directory", directoryMethods, false)
  checkAll("the directory of an encrypted database", directoryMethods, true)
  checkAll("a brand that is being deleted", deletedDirectoryMethods, false)
} else checkAll("ordered webhooks", orderedMethods, false, ["record of successes", "erase the author"])
