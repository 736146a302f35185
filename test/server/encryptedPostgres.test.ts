/** Nodes on an encrypted Postgres: settings, a change of the key under them, and what their logs hold. */
import { generateEncryptionKey } from "@lead-signals/encryption"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  callJson,
  endServersAfterTests,
  errorsOfRefusedStart,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { findCanaries, observationOf } from "../store-postgres/Canaries.ts"

endServersAfterTests()

const [key, next] = [generateEncryptionKey(), generateEncryptionKey()]
const people = 50

describe.skipIf(isWithoutPostgres)("nodes on an encrypted Postgres", () => {
  let database: string
  beforeAll(async () => {
    database = await migratedDatabase()
  })

  const environment = (more: Readonly<Record<string, string>>) => ({
    LEAD_SIGNALS_DATABASE: database,
    LEAD_SIGNALS_DEMO: "false",
    LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
    ...more
  })
  const both = { LEAD_SIGNALS_ENCRYPTION_KEY: key, LEAD_SIGNALS_ENCRYPTION_NEXT_KEY: "env:NEXT", NEXT: next }
  const logs: Array<string> = []

  it.runIf(isThorough)(
    "go on while `rekey` changes their key, log nothing of people, and open with the new key alone [PII-2, PII-4]",
    async () => {
      const nodes = [
        await startServer(environment(both), bundledServer),
        await startServer(environment(both), bundledServer)
      ] as const
      const { brandId, signalId } = await setUpBrand(nodes[0].url)
      const observe = async (node: 0 | 1, first: number): Promise<void> => {
        const observations = Array.from({ length: people / 2 }, (_, i) => observationOf(signalId, first + i))
        const path = `/operator/brands/${brandId}/observations`
        const { body, status } = await callJson(`${nodes[node].url}${path}`, operatorToken, "POST", {
          observations
        })
        expect([status, JSON.stringify(body).match(/recorded/g)?.length]).toEqual([200, people / 2])
      }
      await observe(0, 0)
      const changed = await runCommand(["rekey", "--to", "env:NEXT"], environment(both))
      expect([changed.code, changed.err]).toEqual([0, ""])
      await observe(1, people / 2)
      for (const node of nodes) {
        const { body } = await callJson(
          `${node.url}/operator/brands/${brandId}/leads?pageSize=100`,
          operatorToken
        )
        expect(findCanaries([Buffer.from(JSON.stringify(body))])["username"]).toBe(people)
        await node.end("SIGTERM")
        logs.push(node.out(), node.err())
      }
      const later = await startServer(environment({ LEAD_SIGNALS_ENCRYPTION_KEY: next }), bundledServer)
      const { body } = await callJson(
        `${later.url}/operator/brands/${brandId}/leads?pageSize=100`,
        operatorToken
      )
      expect(findCanaries([Buffer.from(JSON.stringify(body))])["username"]).toBe(people)
      await later.end("SIGTERM")
      logs.push(later.out(), later.err())
      expect(findCanaries([Buffer.from(logs.join("\n"))])).toEqual({})
      const checked = await runCommand(["check"], environment({ LEAD_SIGNALS_ENCRYPTION_KEY: next }))
      expect(checked.code).toBe(0)
    }
  )

  it("say in one line that a key is another, missing, or set without a use [PII-4, RUN-4]", async () => {
    const errorsOf = (more: Readonly<Record<string, string>>) =>
      errorsOfRefusedStart(environment(more), bundledServer)
    const lineOf = async (more: Readonly<Record<string, string>>): Promise<string> => {
      const errors = await errorsOf(more)
      expect(errors.split("\n")).toHaveLength(1)
      return errors
    }
    database = await migratedDatabase()
    const encrypted = await startServer(environment({ LEAD_SIGNALS_ENCRYPTION_KEY: next }), bundledServer)
    await encrypted.end("SIGTERM")
    expect(await lineOf({ LEAD_SIGNALS_ENCRYPTION_KEY: key })).toMatch(
      /The database can't be used: the database is encrypted under the key [0-9a-f]{16}, and [0-9a-f]{16} is set\. Check LEAD_SIGNALS_ENCRYPTION_KEY/
    )
    // The store's own tests meet the others as the server prints them.
    if (!isThorough) return
    expect(await lineOf({})).toMatch(/and no encryption key is set\. Check LEAD_SIGNALS_ENCRYPTION_KEY/)
    expect(await errorsOf({ LEAD_SIGNALS_ENCRYPTION_NEXT_KEY: "env:NEXT", NEXT: next })).toMatch(
      /LEAD_SIGNALS_ENCRYPTION_NEXT_KEY is set, and none of LEAD_SIGNALS_ENCRYPTION_KEY/
    )
    database = await migratedDatabase()
    const plain = await startServer(environment({}), bundledServer)
    await setUpBrand(plain.url)
    await plain.end("SIGTERM")
    expect(await lineOf({ LEAD_SIGNALS_ENCRYPTION_KEY: key })).toMatch(
      /is not encrypted, and an encryption key is set: encrypt it by `lead-signals rekey`, or start without the key/
    )
  })
})
