/** What the service behind promises rejects with: errors with names and advice, never thrown at once. */
import { createLeadSignals, InvalidParameter, NotFound } from "@lead-signals/embedded"
import * as MemoryStore from "@lead-signals/store-memory"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"
import { seen, signal, withLeads } from "./ObservedBrand.ts"

describe("the service behind promises, called wrongly,", () => {
  it("rejects with errors that can be told apart and say what to do [ERR-3, AUTH-3]", async () => {
    const { brand, service } = await withLeads(1)
    const failures = await Promise.all(
      [
        // As a program without types may call it.
        service.list(brand.id, { sort: "age:up" as never }),
        service.detail(brand.id, 99),
        service.detail("7", 1),
        service.observe("7", []),
        service.metrics(brand.id, "5"),
        service.createBrand(""),
        service.createKey(brand.id, { label: "k", requestsPerMinute: 0 }),
        service.createSignal(brand.id, { ...signal, name: "" }),
        service.amend(brand.id, 1, { qualified: "yes" as unknown as boolean })
      ].map((call) =>
        call.then(
          () => null,
          (failure: unknown) => failure
        )
      )
    )
    expect(failures.every((failure) => failure instanceof Error)).toBe(true)
    expect(failures.map((failure) => failure instanceof InvalidParameter)).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      true
    ])
    expect(failures.filter((failure) => failure instanceof NotFound).length).toBe(4)
    expect(String(failures[0])).toContain("sort takes")
    expect(String(failures[8])).toContain("qualified takes")
    await service.close()
  })

  it("rejects with the parameter's name what no query can hold, as an invalid Date [ERR-3, TIME-3]", async () => {
    const { brand, service } = await withLeads(1)
    const { id } = await service.createCampaign(brand.id, "C")
    const invalid = new Date(Number.NaN)
    const throwing = Object.defineProperty({}, "page", {
      enumerable: true,
      get: () => {
        throw new Error("no page")
      }
    })
    const unreadable = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no keys")
        }
      }
    )
    const calls: ReadonlyArray<readonly [() => Promise<unknown>, parameter: string, takes: string]> = [
      [() => service.list(brand.id, { createdAfter: invalid }), "createdAfter", ""],
      [() => service.list(brand.id, { updatedBefore: invalid }), "updatedBefore", ""],
      [() => service.list(brand.id, { search: Object.create(null) as never }), "search", "a text"],
      [() => service.list(brand.id, throwing), "page", "a text"],
      [() => service.list(brand.id, null as never), "query", "an object of parameters"],
      [() => service.list(brand.id, unreadable), "query", "a plain object"],
      [
        () => service.detail(brand.id, 1, { includeEngagementDetail: invalid as never }),
        "includeEngagementDetail",
        "true or false"
      ],
      [() => service.metrics(brand.id, id, { startDate: invalid as never }), "startDate", "a"]
    ]
    for (const [call, parameter, takes] of calls) {
      // A method that throws at once would fail this test here, past `catch`.
      const failure = await call().catch((reason: unknown) => reason)
      expect(failure).toBeInstanceOf(InvalidParameter)
      expect(failure).toMatchObject({
        parameter,
        message: expect.stringContaining(`${parameter} takes ${takes}`)
      })
    }
    await service.close()
  })

  it("never throws at once, whatever its methods are called with [ERR-3]", async () => {
    const service = await createLeadSignals({ store: MemoryStore.layer })
    const brand = await service.createBrand("Mine")
    await service.createSignal(brand.id, signal)
    await service.observe(brand.id, [seen(1)])
    const methods = [
      "list",
      "detail",
      "metrics",
      "observe",
      "observeUnknown",
      "createBrand",
      "brands",
      "createKey",
      "revokeKey",
      "createSignal",
      "renameBrand",
      "deleteBrand",
      "deleteSignal",
      "deleteCampaign",
      "renameSignal",
      "renameCampaign",
      "createCampaign",
      "amend",
      "erase",
      "run",
      "fetch"
    ] as const satisfies ReadonlyArray<keyof typeof service>
    const called = Object.getOwnPropertyNames(Object.getPrototypeOf(service)).filter(
      (name) => !["constructor", "isClosed", "close"].includes(name)
    )
    expect([...methods].sort()).toEqual([...called, "fetch"].sort())
    const fails = () => {
      throw new Error("hostile")
    }
    const hostile = fc.oneof(
      fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true, withMap: true }),
      fc.constantFrom<unknown>(
        new Date(Number.NaN),
        Symbol("hostile"),
        { toString: fails },
        // The generator itself asks for symbols.
        new Proxy({}, { get: (_, key) => (typeof key === "symbol" ? undefined : fails()), ownKeys: fails })
      )
    )
    const parameters = fc.dictionary(
      fc.constantFrom("createdAfter", "search", "page", "endDate", "name"),
      hostile
    )
    const argument = fc.oneof(hostile, parameters, fc.constant(brand.id), fc.constant(1))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.array(argument, { maxLength: 4 }),
        async (method, given) => {
          const call = service[method] as (...values: ReadonlyArray<unknown>) => unknown
          const answered = call.apply(service, given)
          expect(answered).toBeInstanceOf(Promise)
          await Promise.allSettled([answered])
        }
      ),
      { numRuns: cases(12_000) }
    )
    await service.close()
    for (const method of methods) {
      const call = service[method] as () => unknown
      const answered = call.call(service)
      expect(answered).toBeInstanceOf(Promise)
      await Promise.allSettled([answered])
    }
  })
})
