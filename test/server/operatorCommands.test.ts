/** The commands that call a server: what they make, list and end, and what they say of an answer that is not as it should be. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo } from "node:net"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { freePort } from "../harness/FreePort.ts"
import {
  callServer,
  program,
  type Ran,
  runCommand,
  runProcess,
  startOperatedServer
} from "../harness/CommandRun.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  setUpBrand
} from "../harness/ServerProcess.ts"

const folder = temporaryFolder()
let server: ServerProcess

endServersAfterTests()

beforeAll(async () => {
  server = await startOperatedServer(join(folder, "commands.sqlite"))
})

const called = (...args: ReadonlyArray<string>): Promise<any> => callServer(server, args)

describe("the operator's commands", () => {
  it("do nothing twice with the same Idempotency-Key [IDEM-2]", async () => {
    const create = (key: string) =>
      called("brands", "create", "Once", "--key", "crm", "--idempotency-key", key)
    const first = await create("5f6c1c0e-8a2b-4d59-9d3e-0d1f7a1b2c3d")
    expect(await create("5f6c1c0e-8a2b-4d59-9d3e-0d1f7a1b2c3d")).toEqual(first)
    expect((await create("0b1e7f52-3c7a-4b5e-8a57-6f0a3d9c1e2f")).brand.id).not.toBe(first.brand.id)
  })

  it("makes tokens of operators, lists and revokes them, and shows who did what [OPER-11, AUD-4]", async () => {
    const brand = await called("brands", "create", "Of tokens")
    const id = brand.brand.id as string
    const made = await called(
      "operators",
      "create",
      "collector",
      "--scopes",
      "ingest, read",
      "--brands",
      id,
      "--expires",
      "2100-01-31"
    )
    expect([made.scopes, made.brandIds, made.expiresAt]).toEqual([
      ["read", "ingest"],
      [id],
      "2100-01-31T00:00:00.000Z"
    ])
    const lists = async () => (await callJson(`${server.url}/operator/brands`, made.token)).status
    expect(await lists()).toBe(200)
    expect((await called("operators", "list")).at(-1).id).toBe(made.id)
    expect(await called("operators", "revoke", made.id)).toEqual({ id: made.id, revoked: true })
    expect(await lists()).toBe(401)
    const limits = ["--scopes", "metrics", "--expires", "2100-01-31", "--allow", "192.0.2.0/24,::1"]
    const key = await called("keys", "create", "limited", "--brand", id, ...limits)
    expect([key.scopes, key.expiresAt, key.allowedAddresses]).toEqual([
      ["metrics"],
      "2100-01-31T00:00:00.000Z",
      ["192.0.2.0/24", "::1"]
    ])
    const entries = await called("audit", "--limit", "4")
    expect(entries.map(({ operation, status }: any) => [operation, status])).toEqual([
      ["createKey", 201],
      ["refusedToken", 401],
      ["revokeToken", 204],
      ["createToken", 201]
    ])
    const ofBrand = await called("audit", "--brand", id, "--since", entries[1].at)
    expect(ofBrand.map(({ operation }: any) => operation)).toEqual(["createKey"])
  })

  it("makes brands, keys and webhooks, lists and ends them [AUTH-4, AUTH-5, DELIV-8]", async () => {
    const made = await called(
      "brands",
      "create",
      "Mine",
      "--key",
      "crm",
      "--watch",
      "https://network.example/c"
    )
    const brand = ["--brand", made.brand.id]
    expect((await callJson(`${server.url}/signals/leads`, made.key.key)).status).toBe(200)
    expect(made.signal.source).toMatchObject({ type: "li-company-url", value: "https://network.example/c" })
    const key = await called("keys", "create", "erp", ...brand, "--requests-per-minute", "7")
    expect(
      (await called("keys", "list", ...brand)).map((each: any) => [each.label, each.requestsPerMinute])
    ).toEqual([
      ["crm", 60],
      ["erp", 7]
    ])
    await called("keys", "revoke", key.id, ...brand)
    expect((await callJson(`${server.url}/signals/leads`, key.key)).status).toBe(401)
    const webhook = await called(
      "webhooks",
      "create",
      "http://127.0.0.1:9/",
      ...brand,
      "--events",
      "lead2.created"
    )
    expect(webhook.secret).toMatch(/^whsec_/)
    await called("webhooks", "test", webhook.id, ...brand)
    const { data } = await called("webhooks", "deliveries", webhook.id, ...brand)
    expect(data).toMatchObject([{ event: "webhook.test" }])
    expect((await called("webhooks", "disable", webhook.id, ...brand)).enabled).toBe(false)
    const held = await called("webhooks", "deliveries", webhook.id, ...brand, "--state", "held")
    expect(held.data).toMatchObject([{ event: "webhook.test", state: "held" }])
    const rotated = await runCommand(["webhooks", "rotate-secret", webhook.id, ...brand, "--url", server.url])
    expect(rotated.out).toMatch(
      /^Secret whsec_\S+\nThe previous secret also signs until \d{4}-\d\d-\d\dT[\d:.]+Z\.\n$/
    )
    expect(rotated.out).not.toContain(webhook.secret)
    await called("webhooks", "delete", webhook.id, ...brand)
    expect(await called("webhooks", "list", ...brand)).toEqual([])
    const plain = await runCommand(["brands", "list", "--output", "table", "--url", server.url])
    expect(plain.out).toMatch(/^id +name +created +being deleted since\n(?:.*\n)*\d +Mine/)
  })

  it("deletes signals, campaigns and, by its name, a brand [CLI-8, DEL-1, DEL-2, DEL-3]", async () => {
    const { brand, signal } = await called(
      "brands",
      "create",
      "Goner",
      "--watch",
      "https://network.example/c"
    )
    const of = ["--brand", brand.id]
    const campaign = await called("campaigns", "create", "C", ...of)
    await called("campaigns", "delete", campaign.id, ...of)
    await called("signals", "delete", signal.id, ...of)
    expect([await called("campaigns", "list", ...of), await called("signals", "list", ...of)]).toEqual([
      [],
      []
    ])
    const unconfirmed = await runCommand([
      "brands",
      "delete",
      brand.id,
      "--confirm",
      "Mine",
      "--url",
      server.url
    ])
    expect([unconfirmed.code, unconfirmed.err]).toEqual([
      2,
      expect.stringContaining(`--confirm takes the name of brand ${brand.id}`)
    ])
    expect(await called("brands", "delete", brand.id, "--confirm", "Goner")).toEqual({
      id: brand.id,
      deleted: true
    })
    expect((await called("brands", "list")).map(({ id }: any) => id)).not.toContain(brand.id)
    const again = await runCommand(["brands", "delete", brand.id, "--confirm", "Goner", "--url", server.url])
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`There is no brand ${brand.id};`)])
  })

  it("deletes a brand beside another deletion of it, and says how to go on after a failure [CLI-8, DEL-1]", async () => {
    const error = (message: string) => ({ error: { code: "x", message } })
    const mine = { id: "7", name: "Mine", createdAt: "2026-01-01T00:00:00.000Z", deletionStartedAt: null }
    const ask = async (answers: ReadonlyArray<readonly [status: number, body: unknown]>): Promise<Ran> => {
      const left = [...answers]
      const operator = createHttpServer((_, response) => {
        const [status, body] = left.shift()!
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      }).listen(0, "127.0.0.1")
      await once(operator, "listening")
      const url = `http://127.0.0.1:${(operator.address() as AddressInfo).port}`
      const result = await runCommand(["brands", "delete", "7", "--confirm", "Mine", "--url", url])
      operator.close()
      expect(left).toEqual([])
      return result
    }
    const listed = [200, { data: [mine] }] as const
    const begun = [200, { data: { deleted: false, leadsLeft: 5 } }] as const
    const gone = [404, error("There is no such brand.")] as const
    const unavailable = [503, error("Try again.")] as const
    expect(await ask([listed, begun, gone, [200, { data: [] }]])).toMatchObject({
      code: 0,
      out: "Brand 7 is deleted with all its data.\n"
    })
    expect(await ask([listed, begun, unavailable, listed])).toMatchObject({
      code: 3,
      err: expect.stringContaining(
        "Try again. The deletion has begun, and 5 leads are left; run the same command again to continue."
      )
    })
    expect(await ask([listed, unavailable, unavailable])).toMatchObject({
      code: 3,
      err: expect.stringContaining(
        "Try again. The deletion may have begun; run the same command again to continue."
      )
    })
  })

  it("makes signals and campaigns, and renames them and brands [OPER-6]", async () => {
    const { brand } = await called("brands", "create", "Before")
    const of = ["--brand", brand.id]
    expect((await called("brands", "rename", brand.id, "After")).name).toBe("After")
    expect(await called("brands", "list")).toContainEqual({ ...brand, name: "After" })
    const source = ["--type", "li-profile-url", "--value"]
    const signal = await called("signals", "create", "S", ...source, "https://network.example/in/x", ...of)
    expect(signal).toMatchObject({ signalType: "li-profile-url", source: { type: "li-profile-url" } })
    expect(await called("signals", "rename", signal.id, "T", ...of)).toEqual({ ...signal, name: "T" })
    expect(await called("signals", "list", ...of)).toEqual([{ ...signal, name: "T" }])
    const refused = await runCommand(["signals", "create", "S", ...source, "x", ...of, "--url", server.url])
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("--value takes an http or https URL for the source type li-profile-url")
    ])
    const campaign = await called("campaigns", "create", "C", ...of)
    expect((await called("campaigns", "rename", campaign.id, "D", ...of)).name).toBe("D")
    expect(await called("campaigns", "list", ...of)).toEqual([{ ...campaign, name: "D" }])
  })

  it("tells a server's refusal in its words, with exit code 1 [CLI-4]", async () => {
    for (const [args, message] of [
      [["keys", "list", "--brand", "99"], "There is no such brand."],
      [["brands", "create", ""], "NAME takes"],
      [["brands", "list", "--token", "another-operator-token"], "pass --token"]
    ] as const) {
      const { code, err } = await runCommand([...args, "--url", server.url])
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
    }
    const nobody = await runProcess(folder, [
      "brands",
      "list",
      "--url",
      `http://127.0.0.1:${await freePort()}`
    ])
    expect([nobody.code, nobody.err]).toEqual([3, expect.stringContaining("is the server running there?")])
    expect(nobody.err).not.toContain(operatorToken)
  })
})

describe("an answer that is not ours, or half of what was asked", () => {
  it("becomes one line, and never quoted [CLI-4, PII-2]", async () => {
    const other = createHttpServer((_, response) => response.end("{}"))
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    for (const args of [
      ["brands", "list"],
      ["keys", "create", "x", "--brand", "1"]
    ]) {
      const { code, err } = await runCommand([...args, "--url", `http://127.0.0.1:${port}`])
      expect([code, err.trim().split("\n").length]).toEqual([1, 1])
      expect(err).toContain("does not come from Lead Signals")
    }
    other.close()
  })

  it("loses no key: it is made last, and the command says what was made [AUTH-4]", async () => {
    const { code, err } = await runCommand([
      "brands",
      "create",
      "Half",
      "--key",
      "",
      "--watch",
      "https://network.example/c",
      "--url",
      server.url
    ])
    expect(code).toBe(1)
    const [, id] = /Brand (\d+) was created/.exec(err)!
    expect(await called("keys", "list", "--brand", id!)).toEqual([])
  })

  it("has exit code 3 where the server goes away half way, and says what was made [CLI-1]", async () => {
    const leaving = createHttpServer(({ socket, url }, response) => {
      if (url === "/operator/brands") response.writeHead(201).end('{"data":{"id":"7","name":"Half"}}')
      else socket.destroy()
    }).listen(0, "127.0.0.1")
    await once(leaving, "listening")
    const { port } = leaving.address() as AddressInfo
    const create = ["brands", "create", "Half", "--key", "crm", "--url", `http://127.0.0.1:${port}`]
    const { code, err } = await runCommand(create)
    leaving.close()
    expect([code, err]).toEqual([3, expect.stringMatching(/^There is no answer .* Brand 7 was created\.$/m)])
  })

  it("that nobody reads ends listen, and its webhook with it [CLI-7]", async () => {
    const { brandId, signalId } = await setUpBrand(server.url)
    const env = { PATH: process.env["PATH"], LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken }
    const line = `"${process.execPath}" "${program}" listen --brand ${brandId} --url ${server.url} | head -n 1`
    const child = spawn("bash", ["-c", line], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk) => String(chunk).includes("Listening on") && resolve())
    })
    const url = `${server.url}/operator/brands/${brandId}/observations`
    for (let i = 0; child.exitCode === null; i++) {
      const seen = { signalId, person: { extId: `p${i}`, name: "N" }, engagement: { id: `e${i}` } }
      await callJson(url, operatorToken, "POST", { observations: [seen] })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await called("webhooks", "list", "--brand", brandId)).toEqual([])
  })
})
