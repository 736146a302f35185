/** The tables in which a store is copied into another one. */
import { copySequences, copyTables } from "@lead-signals/domain"
import { expect, it } from "vitest"

it("a table of a copy has columns of a name each, and its key and its truth values are among them [STORE-10]", () => {
  for (const { booleans, columns, key, name } of copyTables) {
    expect([name, columns.filter((column) => !/^[a-z][a-z0-9_]*$/.test(column))]).toEqual([name, []])
    expect([name, new Set(columns).size]).toEqual([name, columns.length])
    expect([name, [...key, ...booleans].filter((column) => !columns.includes(column))]).toEqual([name, []])
  }
})

it("a table of a copy that a store numbers has the column of the number [STORE-10]", () => {
  for (const [name, column] of Object.entries(copySequences))
    expect([name, copyTables.find((table) => table.name === name)?.columns]).toEqual([
      name,
      expect.arrayContaining([column])
    ])
})
