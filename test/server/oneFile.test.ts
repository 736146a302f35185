/** The built server alone in a folder, as it is copied to a machine. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  spawnBundle,
  startServer
} from "../harness/ServerProcess.ts"

endServersAfterTests()
const folder = temporaryFolder()
const program = join(folder, "lead-signals.mjs")
copyFileSync(bundledServer, program)

const environment = { LEAD_SIGNALS_DEMO: "false", LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken }

describe("the built server alone", () => {
  // On Postgres it serves with as little beside it.
  it.runIf(isThorough || isWithoutPostgres)("serves from memory [HEALTH-1]", async () => {
    const server = await startServer({ ...environment, LEAD_SIGNALS_DATABASE: "memory" }, program)
    expect((await callJson(`${server.url}/operator/brands`, operatorToken)).status).toBe(200)
    expect(await server.end("SIGTERM")).toBe(0)
  })

  it.skipIf(isWithoutPostgres || !isThorough)(
    "serves from Postgres with nothing beside it [HEALTH-1]",
    async () => {
      const server = await startServer(
        { ...environment, LEAD_SIGNALS_DATABASE: await newDatabase() },
        program
      )
      expect((await callJson(`${server.url}/operator/brands`, operatorToken)).status).toBe(200)
      expect(await server.end("SIGTERM")).toBe(0)
    }
  )

  it("says what to install for a database, and opens it when that is there [RUN-4]", async () => {
    const withFile = { ...environment, LEAD_SIGNALS_DATABASE: join(folder, "leads.sqlite") }
    const missing = spawnBundle(program, withFile)
    expect(await missing.exit).toBe(2)
    expect(missing.err().trim().split("\n")).toEqual([
      expect.stringMatching(
        /run npm install better-sqlite3@13 in its folder, or .*Set LEAD_SIGNALS_DATABASE.* to memory\.$/
      )
    ])
    expect(missing.err()).not.toContain("@lead-signals")
    expect(existsSync(withFile.LEAD_SIGNALS_DATABASE)).toBe(false)
    const driver = createRequire(import.meta.url).resolve("better-sqlite3/package.json")
    mkdirSync(join(folder, "node_modules"))
    symlinkSync(dirname(driver), join(folder, "node_modules", "better-sqlite3"))
    const server = await startServer(withFile, program)
    const made = await callJson(`${server.url}/operator/brands`, operatorToken, "POST", {
      name: "Taken over"
    })
    expect(made.status).toBe(201)
    // Only the store's worker moves what is committed from the log into the file, by a program within the one file.
    while (!readFileSync(withFile.LEAD_SIGNALS_DATABASE, "latin1").includes("Taken over")) await sleep(20)
    expect(await server.end("SIGTERM")).toBe(0)
  })

  it.runIf(isThorough)(
    "says what to install for an encrypted file, and its threads find that driver, too [PII-4, RUN-4]",
    async () => {
      const alone = join(folder, "encrypted")
      mkdirSync(join(alone, "node_modules"), { recursive: true })
      const bundle = join(alone, "lead-signals.mjs")
      copyFileSync(program, bundle)
      const link = (driver: string): void => {
        const manifest = createRequire(import.meta.url).resolve(`${driver}/package.json`)
        symlinkSync(dirname(manifest), join(alone, "node_modules", driver))
      }
      link("better-sqlite3")
      const withKey = {
        ...environment,
        LEAD_SIGNALS_DATABASE: join(alone, "leads.sqlite"),
        LEAD_SIGNALS_ENCRYPTION_KEY: "a5".repeat(32)
      }
      const missing = spawnBundle(bundle, withKey)
      expect(await missing.exit).toBe(2)
      expect(missing.err().trim().split("\n")).toEqual([
        expect.stringMatching(/run npm install better-sqlite3-multiple-ciphers@13 in its folder/)
      ])
      expect(existsSync(withKey.LEAD_SIGNALS_DATABASE)).toBe(false)
      link("better-sqlite3-multiple-ciphers")
      const server = await startServer(withKey, bundle)
      const changedAt = () => statSync(withKey.LEAD_SIGNALS_DATABASE).mtimeMs
      const before = changedAt()
      await callJson(`${server.url}/operator/brands`, operatorToken, "POST", { name: "Taken over" })
      // Only the store's worker moves what is committed from the log into the file.
      while (changedAt() === before) await sleep(20)
      expect(await server.end("SIGTERM")).toBe(0)
      expect(readFileSync(withKey.LEAD_SIGNALS_DATABASE, "latin1").slice(0, 7)).toBe("LeadSig")
    }
  )
})
