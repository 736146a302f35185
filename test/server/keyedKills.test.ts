/** Calls with an `Idempotency-Key` are repeated while nodes on Postgres are killed: each takes effect once, and has one answer. */
import { Prng } from "@lead-signals/simulation-kernel"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const kills = 8

it.runIf(isThorough && !isWithoutPostgres)(
  `take effect once over ${kills} kills of nodes [IDEM-2, IDEM-3, STORE-2]`,
  async () => {
    const prng = Prng.of(26, "keyed calls")
    const database = await newDatabase()
    const start = () =>
      startServer(
        {
          LEAD_SIGNALS_DATABASE: database,
          LEAD_SIGNALS_DEMO: "false",
          LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
        },
        bundledServer
      )
    const nodes = [await start(), await start()]
    const { brandId } = await setUpBrand(nodes[0]!.url)
    const bodies = {
      campaigns: (name: string) => ({ name }),
      keys: (label: string) => ({ label }),
      signals: (name: string) => ({
        name,
        signalType: "t",
        source: { type: "posts-with-keywords", value: "v" }
      })
    }
    type Kind = keyof typeof bodies
    const kinds = Object.keys(bodies) as ReadonlyArray<Kind>
    /** Answers by key: each that was received. */
    const answers = new Map<string, { readonly kind: Kind; readonly bodies: Set<string> }>()
    const unanswered = { sent: 0 }

    /** Sends the call to either node until one answers it; answers the body. */
    const call = async (kind: Kind, name: string): Promise<string> => {
      for (let attempt = prng.below(2); ; attempt++) {
        const answer = await fetch(`${nodes[attempt % 2]!.url}/operator/brands/${brandId}/${kind}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${operatorToken}`,
            "content-type": "application/json",
            "idempotency-key": `"${name}"`
          },
          body: JSON.stringify(bodies[kind](name))
        })
          .then(async (response) => ({ status: response.status, text: await response.text() }))
          .catch(() => null)
        if (answer?.status === 201 || answer?.status === 200) return answer.text
        // It was done, and the node was killed before it kept the answer.
        if (answer?.text.includes("idempotency_answer_lost") === true) return "lost"
        if (answer === null) unanswered.sent++
        // Under way on the node that was killed, until its hold runs out; or without a store.
        else expect([409, 503]).toContain(answer.status)
        await sleep(50 + prng.below(100))
      }
    }
    const clientState = { isOver: false }
    let number = 0
    const client = async (): Promise<void> => {
      while (!clientState.isOver) {
        const kind = kinds[prng.below(3)]!
        const name = `call-${String(number++).padStart(16, "0")}`
        const received = new Set([await call(kind, name)])
        answers.set(name, { kind, bodies: received })
        // Now and then it is repeated although it was answered.
        if (prng.chance(0.3)) received.add(await call(kind, name))
      }
    }
    const clients = Array.from({ length: 6 }, client)
    for (let kill = 0; kill < kills; kill++) {
      const before = answers.size
      while (answers.size < before + 12) await sleep(5)
      await sleep(prng.below(40))
      await nodes[kill % 2]!.end("SIGKILL")
      nodes[kill % 2] = await start()
    }
    clientState.isOver = true
    await Promise.all(clients)
    expect(unanswered.sent).toBeGreaterThan(0)
    const made = new Map<string, number>()
    for (const kind of kinds) {
      const { body } = await callJson(`${nodes[0]!.url}/operator/brands/${brandId}/${kind}`, operatorToken)
      for (const { label, name } of body.data)
        made.set(`${kind} ${name ?? label}`, (made.get(`${kind} ${name ?? label}`) ?? 0) + 1)
    }
    for (const [name, { bodies: received, kind }] of answers) {
      expect([name, made.get(`${kind} ${name}`)]).toEqual([name, 1])
      received.add(await call(kind, name))
      expect([name, received.size]).toEqual([name, 1])
    }
    for (const node of nodes) await node.end("SIGTERM")
  },
  600_000
)
