/** The resolver of Node over name servers that fail in each way, and a hosts file that changes. */
import { Addresses, Resolver, Sender, TargetGuard } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { WebhookTargets } from "@lead-signals/domain"
import { Effect, Either, Layer } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { startReceiver } from "../harness/Receiver.ts"

const folder = temporaryFolder()

/** A hosts file with the text. */
const hostsWith = (name: string, text: string | Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** RFC 1035, 4.1.1; null for a server that says nothing. */
const responseCodes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5, silence: null }

/** A name server that answers each question with the code, and counts the questions. */
const startNameServer = async (
  code: number | null
): Promise<{ address: string; questions: () => number }> => {
  let questions = 0
  const socket = createSocket("udp4")
  socket.on("message", (question, from) => {
    questions++
    if (code === null) return
    const answer = Buffer.from(question)
    answer[2] = 0x81
    answer[3] = 0x80 | code
    socket.send(answer, from.port, from.address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  afterAll(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, questions: () => questions }
}

const addressesBy = (
  layer: Layer.Layer<Resolver>,
  hostnames: ReadonlyArray<string>
): Promise<ReadonlyArray<ReadonlyArray<string> | null>> =>
  Effect.runPromise(
    Effect.flatMap(Resolver, ({ resolve }) =>
      Effect.forEach(hostnames, (hostname) =>
        Effect.catchTag(resolve(hostname), "Unresolvable", () => Effect.succeed(null))
      )
    ).pipe(Effect.provide(layer))
  )

describe("the resolver of Node", () => {
  it.each(Object.entries(responseCodes))(
    "resolves a name of the hosts file while name servers answer with %s [DELIV-3]",
    async (name, code) => {
      const server = await startNameServer(code)
      const layer = NodeWebhook.resolverWith({
        hostsFile: hostsWith(name, "10.9.9.9 receiver.internal\n"),
        nameServers: [server.address]
      })
      expect(await addressesBy(layer, ["receiver.internal"])).toEqual([["10.9.9.9"]])
      if (code === null || code === 3) return
      expect(await addressesBy(layer, ["other.invalid"])).toEqual([null])
      expect(server.questions()).toBeGreaterThan(0)
    }
  )

  it("reads a hosts file as systems do, and skips lines that are none [DELIV-3]", async () => {
    const text = [
      "\ufeff127.0.0.1\tlocalhost loopback # 10.0.0.1 comment.internal",
      "  ::1   localhost",
      "127.0.0.1 localhost",
      "# 10.0.0.2 comment.internal",
      "10.0.0.3 Receiver.Internal alias.internal\r",
      "fe80::1%eth0 zone.internal",
      "10.0.0.4",
      "not-an-address odd.internal",
      "10.0.0.256 odd.internal",
      "",
      "10.0.0.5 constructor",
      "10.0.0.6 last.internal"
    ].join("\n")
    const server = await startNameServer(responseCodes.SERVFAIL)
    const hostnames = ["localhost", "receiver.internal", "ALIAS.internal", "constructor", "last.internal"]
    const others = ["comment.internal", "zone.internal", "odd.internal", "tostring"]
    const layer = NodeWebhook.resolverWith({
      hostsFile: hostsWith("odd", text),
      nameServers: [server.address]
    })
    expect(await addressesBy(layer, [...hostnames, ...others])).toEqual([
      ["127.0.0.1", "::1"],
      ["10.0.0.3"],
      ["10.0.0.3"],
      ["10.0.0.5"],
      ["10.0.0.6"],
      ...others.map(() => null)
    ])
  })

  it("reads the hosts file again when it has changed, and the first megabyte alone [DELIV-3]", async () => {
    const server = await startNameServer(responseCodes.SERVFAIL)
    const hostsFile = join(folder, "changing")
    const layer = NodeWebhook.resolverWith({ hostsFile, nameServers: [server.address] })
    const resolved = await Effect.runPromise(
      Effect.gen(function* () {
        const { resolve } = yield* Resolver
        const found: Array<ReadonlyArray<string> | string> = []
        const look = (hostname: string) =>
          Effect.map(
            Effect.catchTag(resolve(hostname), "Unresolvable", () => Effect.succeed("none")),
            (each) => void found.push(each)
          )
        yield* look("receiver.internal")
        writeFileSync(hostsFile, "10.0.0.1 receiver.internal\n")
        yield* look("receiver.internal")
        writeFileSync(hostsFile, "10.0.0.22 receiver.internal\n")
        yield* look("receiver.internal")
        const blocked = "0.0.0.0 advertisements.invalid\n".repeat(40_000)
        writeFileSync(hostsFile, `10.0.0.3 receiver.internal\n${blocked}10.0.0.4 late.internal\n`)
        yield* look("receiver.internal")
        yield* look("late.internal")
        rmSync(hostsFile)
        yield* look("receiver.internal")
        return found
      }).pipe(Effect.provide(layer))
    )
    expect(resolved).toEqual(["none", ["10.0.0.1"], ["10.0.0.22"], ["10.0.0.3"], "none", "none"])
  })

  it("gives the guard what the hosts file says, which refuses it as any other address [DELIV-6]", async () => {
    const receiver = await startReceiver()
    const server = await startNameServer(responseCodes.SERVFAIL)
    const hosts = ["127.0.0.1 allowed.internal", "10.0.0.1 private.internal", "8.8.8.8 mixed.internal"]
    const hostsFile = hostsWith("guarded", [...hosts, "169.254.169.254 mixed.internal"].join("\n"))
    const options = { allowed: [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))] }
    const sent = await Effect.runPromise(
      Effect.gen(function* () {
        const sender = yield* Sender.Sender
        const targets = yield* WebhookTargets
        return yield* Effect.forEach(
          ["allowed.internal", "private.internal", "mixed.internal"],
          (hostname) => {
            const scheme = hostname === "mixed.internal" ? "https" : "http"
            const url = `${scheme}://${hostname}:${receiver.port}/hook`
            return Effect.all([
              Effect.isSuccess(targets.check(url)),
              Effect.match(sender.post({ url, headers: {}, body: "{}" }), {
                onFailure: ({ error }) => error,
                onSuccess: ({ status }) => status
              })
            ])
          }
        )
      }).pipe(
        Effect.provide(
          Layer.merge(NodeWebhook.sender(options), TargetGuard.layer(options)).pipe(
            Layer.provide(NodeWebhook.resolverWith({ hostsFile, nameServers: [server.address] }))
          )
        ),
        Effect.scoped
      )
    )
    expect(sent).toEqual([
      [true, 204],
      [false, "target_refused"],
      [false, "target_refused"]
    ])
    expect(receiver.received).toHaveLength(1)
  })
})
