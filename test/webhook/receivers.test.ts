/** The receivers of `examples/verify-webhook`, each as a process in its language, and the page that shows them. */
import { attemptErrors, DeliveryQueries, Retries } from "@lead-signals/domain"
import { OpenApiDocument } from "@lead-signals/simulations"
import { WebhookSignature } from "@lead-signals/webhook"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../harness/FreePort.ts"
import { type Api, observation, observe, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(join(root, "docs/webhooks.md"), "utf8")
const binaries = temporaryFolder()

interface Language {
  readonly name: string
  /** The fence of the block in the page. */
  readonly fence: string
  /** Below `examples/verify-webhook`. */
  readonly file: string
  /** Prints a version where the language is installed. */
  readonly probe: readonly [string, ...ReadonlyArray<string>]
  /** A command that ends before the receiver starts. */
  readonly build?: readonly [string, ...ReadonlyArray<string>]
  readonly command: (path: string, port: number) => readonly [string, ...ReadonlyArray<string>]
}

const pathOf = ({ file }: Pick<Language, "file">): string => join(root, "examples/verify-webhook", file)
const goProgram = join(binaries, "receiver")

const languages: ReadonlyArray<Language> = [
  {
    name: "Node",
    fence: "js",
    file: "node/receiver.mjs",
    probe: [process.execPath, "--version"],
    command: (path) => [process.execPath, path]
  },
  {
    name: "Python",
    fence: "python",
    file: "python/receiver.py",
    probe: ["python3", "--version"],
    command: (path) => ["python3", path]
  },
  {
    name: "Go",
    fence: "go",
    file: "go/receiver.go",
    probe: ["go", "version"],
    build: ["go", "build", "-o", goProgram, pathOf({ file: "go/receiver.go" })],
    command: () => [goProgram]
  },
  {
    name: "PHP",
    fence: "php",
    file: "php/receiver.php",
    probe: ["php", "--version"],
    command: (path, port) => ["php", "-d", "post_max_size=16M", "-S", `127.0.0.1:${port}`, path]
  },
  {
    name: "Ruby",
    fence: "ruby",
    file: "ruby/receiver.rb",
    probe: ["ruby", "--version"],
    command: (path) => ["ruby", path]
  }
]

const isInstalled = ({ probe: [command, ...args] }: Language): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
})

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

const build = ({ build }: Language): void => {
  if (build === undefined) return
  const [compiler, ...args] = build
  const built = spawnSync(compiler, args, { encoding: "utf8" })
  expect([built.status, built.stderr]).toEqual([0, ""])
}

const startReceiver = async (language: Language, port: number, secrets: ReadonlyArray<string>) => {
  build(language)
  const [command, ...args] = language.command(pathOf(language), port)
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRETS: secrets.join(" ") },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`${language.name} ended with ${child.exitCode}: ${output}`)
    await sleep(20)
  }
  return {
    until: async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(output)) {
        if (child.exitCode !== null) throw new Error(`it ended before ${pattern}: ${output}`)
        await sleep(10)
      }
    },
    end: async (): Promise<void> => {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
}

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString("base64")}`
const [current, previous, foreign] = [secretOf(1), secretOf(2), secretOf(3)]

const body = JSON.stringify({
  id: "wh_1",
  event: "lead2.created",
  data: { lead2: { name: "Zoë 🦊 \u2028 Example" } }
})
const minute = 60_000

const signed = (secrets: ReadonlyArray<string>, offMillis = 0): Record<string, string> => ({
  ...WebhookSignature.sign(secrets, { id: "wh_1", now: Date.now() + offMillis, body })
})

const without = (name: string): Record<string, string> => {
  const { [name]: _, ...rest } = signed([current])
  return rest
}

/** Title, headers, body, status. */
const posts: ReadonlyArray<readonly [string, () => Record<string, string>, string, number]> = [
  ["the current secret", () => signed([current]), body, 204],
  ["the second secret of the receiver", () => signed([previous]), body, 204],
  ["a secret that is not the receiver's, and then one that is", () => signed([foreign, current]), body, 204],
  ["one that is the receiver's, and then another", () => signed([previous, foreign]), body, 204],
  ["a clock four minutes ahead", () => signed([current], 4 * minute), body, 204],
  ["another secret", () => signed([foreign]), body, 400],
  ["another body", () => signed([current]), body.replace("Zoë", "Zoé"), 400],
  [
    "a body that was parsed and written again",
    () => signed([current]),
    JSON.stringify(JSON.parse(body), null, 1),
    400
  ],
  ["another id", () => ({ ...signed([current]), "webhook-id": "wh_2" }), body, 400],
  ["an old timestamp", () => signed([current], -6 * minute), body, 400],
  ["a timestamp of the future", () => signed([current], 6 * minute), body, 400],
  [
    "another timestamp",
    () => ({ ...signed([current]), "webhook-timestamp": signed([current], -minute)["webhook-timestamp"]! }),
    body,
    400
  ],
  ["a timestamp that is no number", () => ({ ...signed([current]), "webhook-timestamp": "now" }), body, 400],
  ["no webhook-id", () => without("webhook-id"), body, 400],
  ["no webhook-timestamp", () => without("webhook-timestamp"), body, 400],
  ["no webhook-signature", () => without("webhook-signature"), body, 400],
  ["an empty signature", () => ({ ...signed([current]), "webhook-signature": "v1," }), body, 400],
  [
    "a shortened signature",
    () => ({
      ...signed([current]),
      "webhook-signature": signed([current])["webhook-signature"]!.slice(0, -2)
    }),
    body,
    400
  ],
  [
    "a signature of another version",
    () => ({
      ...signed([current]),
      "webhook-signature": signed([current])["webhook-signature"]!.replace("v1", "v2")
    }),
    body,
    400
  ],
  ["no signature at all", () => ({}), body, 400]
]

let api: Api
let brand: Awaited<ReturnType<typeof setUpBrand>>
beforeAll(async () => {
  api = await startApi({ retryMillis: [10] })
  brand = await setUpBrand(api)
})

/** Waits until each delivery has had its attempts. */
const delivered = async (deliveries: string): Promise<void> => {
  for (;;) {
    const states = (await api.operate("GET", deliveries)).body.data.map(({ state }: any) => state)
    if (states.includes("pending")) await sleep(10)
    else return expect(new Set(states)).toEqual(new Set(["delivered"]))
  }
}

describe.each(languages.map((language) => [language.name, language] as const))(
  "the receiver in %s",
  (_, language) => {
    const there = isInstalled(language)
    const title = (text: string): string =>
      there ? text : `${text}: skipped, ${language.name} is not installed here`

    it.skipIf(!there)(
      title(
        "takes what the service posts, during a rotation, too, batches and CloudEvents, and nothing else [DELIV-1, BATCH-1, FMT-3]"
      ),
      async () => {
        const port = await freePort()
        const webhooks = `/operator/brands/${brand.id}/webhooks`
        const url = `http://127.0.0.1:${port}/`
        const created = await api.operate("POST", webhooks, { url, events: ["lead2.created"] })
        const { id, secret } = created.body.data
        const receiver = await startReceiver(language, port, [previous, current, secret])

        await observe(
          api,
          brand,
          observation(brand.signalId, `person-${language.name}`, `engagement-${language.name}`)
        )
        await delivered(`${webhooks}/${id}/deliveries`)
        await receiver.until(/lead2\.created wh_[0-9a-f]{32}/)
        await api.operate("POST", `${webhooks}/${id}/rotate-secret`)
        const tested = await api.operate("POST", `${webhooks}/${id}/test`)
        await delivered(`${webhooks}/${id}/deliveries`)
        await receiver.until(new RegExp(`webhook\\.test ${tested.body.data.deliveryId}`))
        for (const settings of [{ maxBatch: 10 }, { format: "cloudevents" }, { maxBatch: 1 }]) {
          await api.operate("PATCH", `${webhooks}/${id}`, settings)
          const { deliveryId } = (await api.operate("POST", `${webhooks}/${id}/test`)).body.data
          await delivered(`${webhooks}/${id}/deliveries`)
          await receiver.until(new RegExp(`webhook\\.test ${deliveryId}`))
        }
        await api.operate("DELETE", `${webhooks}/${id}`)

        const statuses: Array<readonly [string, number]> = []
        for (const [name, headers, sent] of posts) {
          const response = await fetch(url, { method: "POST", headers: headers(), body: sent })
          statuses.push([name, response.status])
        }
        expect(statuses).toEqual(posts.map(([name, , , status]) => [name, status]))

        const long = JSON.stringify({ id: "wh_1", event: "long", text: "ü".repeat(5_000_000) })
        const headers = { ...WebhookSignature.sign([current], { id: "wh_1", now: Date.now(), body: long }) }
        expect((await fetch(url, { method: "POST", headers, body: long })).status).toBe(204)
        expect((await fetch(url)).status).toBeGreaterThanOrEqual(400)
        await receiver.end()
      }
    )

    // PHP's server runs the program at each request.
    it.skipIf(!there || language.name === "PHP")(title("ends with one line where it has no secret"), () => {
      build(language)
      const [command, ...args] = language.command(pathOf(language), 0)
      const { status, stderr } = spawnSync(command, args, {
        env: { ...process.env, WEBHOOK_SECRETS: "whsec" },
        encoding: "utf8"
      })
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^.*WEBHOOK_SECRETS takes the webhook's secret, whsec_.*\n$/)
      ])
    })

    it("is shown in docs/webhooks.md as it is", () => {
      const [, rendered] = new RegExp(`^\`\`\`${language.fence}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? []
      expect(rendered).toBe(readFileSync(pathOf(language), "utf8"))
    })
  }
)

describe("docs/webhooks.md", () => {
  const events = Array.from(page.matchAll(/^```json\n(\{\n {2}"id": "wh_[\s\S]*?)^```$/gm), ([, text]) =>
    JSON.parse(text!)
  )

  it("shows a body of each event as the API's document describes it [EVT-1, EVT-4]", () => {
    const schemas: Record<string, string> = {
      "lead2.created": "LeadCreatedEvent",
      "activity.detected": "ActivityDetectedEvent",
      "webhook.test": "TestEvent"
    }
    expect(events.map(({ event }) => event)).toEqual(Object.keys(schemas))
    for (const event of events) {
      expect([event.event, OpenApiDocument.validate(schemas[event.event]!, event)]).toEqual([
        event.event,
        null
      ])
    }
  })

  it("has the schedule of retries, the states of deliveries and the errors of attempts [DELIV-3, DELIV-5]", () => {
    const units: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 }
    const waits = Array.from(
      page.matchAll(/^\| +\d+ \| +(\d+) (s|min|h) \|/gm),
      ([, n, unit]) => Number(n) * units[unit!]!
    )
    expect(waits).toEqual(Retries.defaultScheduleMillis)
    const named = (header: string): ReadonlyArray<string> => {
      const table = page.slice(page.search(new RegExp(`^\\| ${header} `, "m")))
      return Array.from(table.slice(0, table.indexOf("\n\n")).matchAll(/^\| `(\w+)`/gm), ([, name]) => name!)
    }
    expect(named("state")).toEqual(DeliveryQueries.reportedStates)
    expect(named("error")).toEqual(attemptErrors)
  })

  it("shows a signature that holds [DELIV-1]", () => {
    const [, id, timestamp, signature] =
      /^webhook-id: (\S+)\nwebhook-timestamp: (\d+)\nwebhook-signature: (v1,\S+)$/m.exec(page)!
    const [, secret] = /(whsec_[A-Za-z0-9+/]+=*)/.exec(page)!
    const headers = { "webhook-id": id!, "webhook-timestamp": timestamp!, "webhook-signature": signature! }
    const [, sent] = /^The body is `(.+)`/m.exec(page)!
    expect(WebhookSignature.verificationFailure(secret!, headers, sent!, Number(timestamp) * 1000)).toBeNull()
  })
})
