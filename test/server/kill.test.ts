/** Kill -9 at any moment loses nothing that was acknowledged. */
import Database from "better-sqlite3"
import { join } from "node:path"
import { expect, it } from "vitest"
import { Prng } from "@lead-signals/simulation-kernel"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"

endServersAfterTests()
const program = bundledServer
const rounds = isThorough ? 8 : 1

it("keeps every acknowledged observation, flag, erasure and key over kill -9 [STORE-2, EVT-2, EVT-3, EVT-8, AUTH-5, PII-3]", async () => {
  const filename = join(temporaryFolder(), "kill.sqlite")
  const environment = {
    LEAD_SIGNALS_DATABASE: filename,
    LEAD_SIGNALS_DEMO: "false",
    LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
  }
  const prng = Prng.of(7, "kill")
  let server = await startServer(environment, program)
  const { brandId, key, signalId } = await setUpBrand(server.url)
  const acknowledged = new Map<string, number>()
  const qualified = new Set<number>()
  const erased = new Set<string>()
  const erasedPeople = new Set<string>()
  const revoked: Array<string> = []
  let number = 0

  /** One client's requests until the server is gone. */
  const work = async (url: string): Promise<void> => {
    const operate = (method: string, path: string, json?: unknown) =>
      callJson(`${url}/operator/brands/${brandId}${path}`, operatorToken, method, json)
    for (;;) {
      const batch = Array.from({ length: 1 + prng.below(5) }, () => {
        const id = `e${number++}`
        return { signalId, person: { extId: `p${prng.below(300)}`, name: "N" }, engagement: { id } }
      })
      const { body } = await operate("POST", "/observations", { observations: batch })
      body.data.forEach((outcome: any, i: number) => {
        if (outcome.outcome === "recorded") acknowledged.set(outcome.engagementId, outcome.leadId)
        else expect([outcome.outcome, erasedPeople.has(batch[i]!.person.extId)]).toEqual(["suppressed", true])
      })
      const leadId = body.data[0].leadId
      if (leadId === null) continue
      const draw = prng.fraction()
      if (draw < 0.1) {
        if ((await operate("PATCH", `/leads/${leadId}`, { qualified: true })).status === 200)
          qualified.add(leadId)
      } else if (draw < 0.13) {
        // From here on it may have happened, whether the answer comes or not.
        erasedPeople.add(batch[0]!.person.extId)
        for (const [engagement, lead] of acknowledged) if (lead === leadId) acknowledged.delete(engagement)
        qualified.delete(leadId)
        const { status } = await operate("DELETE", `/leads/${leadId}`)
        if (status === 204) erased.add(batch[0]!.person.extId)
      } else if (draw < 0.16) {
        const made = (await operate("POST", "/keys", { label: "k" })).body.data
        if ((await operate("DELETE", `/keys/${made.id}`)).status === 204) revoked.push(made.key)
      }
    }
  }

  for (let round = 0; round < rounds; round++) {
    // One client: what it had been answered is then exactly what must be there.
    const working = work(server.url).catch((error) => {
      if (!/fetch failed|terminated|JSON/.test(String(error))) throw error
    })
    // However slow the machine is, each life of the server takes something in.
    const sent = (): number => number
    const enough = sent() + 30
    while (sent() < enough) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, prng.below(500)))
    expect(await server.end("SIGKILL")).toBe("SIGKILL")
    await working
    server = await startServer(environment, program)
    for (const value of revoked)
      expect((await callJson(`${server.url}/signals/leads`, value)).status).toBe(401)
    expect((await callJson(`${server.url}/signals/leads`, key)).status).toBe(200)
  }
  await server.end("SIGTERM")

  const db = new Database(filename, { readonly: true })
  expect(db.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }])
  expect(db.pragma("foreign_key_check")).toEqual([])
  const found = new Map(
    db
      .prepare("SELECT id, lead_id FROM engagement")
      .all()
      .map((row: any) => [row.id, row.lead_id])
  )
  expect(acknowledged.size).toBeGreaterThan(4 * rounds)
  for (const [engagement, lead] of acknowledged)
    expect([engagement, found.get(engagement)]).toEqual([engagement, lead])
  const flags = new Map(
    db
      .prepare("SELECT id, flags FROM lead")
      .all()
      .map((row: any) => [row.id, row.flags])
  )
  for (const lead of qualified) expect(flags.get(lead)! & 1).toBe(1)
  const there = new Set(
    db
      .prepare("SELECT ext_id FROM lead")
      .all()
      .map((row: any) => row.ext_id)
  )
  for (const person of erased) expect(there.has(person)).toBe(false)
  // The outbox is exactly what the leads and engagements say.
  const count = (sql: string) => (db.prepare(sql).get() as { n: number }).n
  expect(count("SELECT count(*) AS n FROM event WHERE event = 'lead2.created'")).toBe(flags.size)
  expect(count("SELECT count(*) AS n FROM event WHERE event = 'activity.detected'")).toBe(found.size)
  expect(count("SELECT count(*) AS n FROM event WHERE is_first_activity = 1")).toBe(flags.size)
  expect(count("SELECT coalesce(sum(n), 0) AS n FROM lead_count WHERE signal_id = 0")).toBe(flags.size)
  db.close()
})
