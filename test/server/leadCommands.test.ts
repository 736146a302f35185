/** Leads on the command line: lists in every form, changes, erasures, exports; and what all listings share. */
import { exportLeads } from "@lead-signals/server/internal"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Chunk, Effect, Stream } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import {
  program,
  runCommand,
  runOnTerminal,
  startCommand,
  startOperatedServer
} from "../harness/CommandRun.ts"
import { recordingProxy, type RecordingProxy } from "../harness/RecordingProxy.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  setUpBrand
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
let server: ServerProcess
let proxy: RecordingProxy
let of: ReadonlyArray<string>
let brandId: string

endServersAfterTests()

/** What no terminal and no spreadsheet should run. */
const hostile = "=cmd|' /C calc'!A1\u001b[31m\u009b5m\u202eadA"

beforeAll(async () => {
  server = await startOperatedServer(join(folder, "leads.sqlite"))
  proxy = await recordingProxy(() => server.url)
  const made = await setUpBrand(server.url)
  brandId = made.brandId
  of = ["--brand", brandId, "--url", proxy.url]
  // More than two pages.
  const observations = Array.from({ length: 230 }, (_, i) => ({
    signalId: made.signalId,
    person: { extId: `p${i}`, name: i === 0 ? "Ada Example" : i === 1 ? hostile : `Person ${i}` },
    engagement: { id: `e${i}`, type: "comment", commentText: "Nice\u0007" }
  }))
  await callJson(`${server.url}/operator/brands/${brandId}/observations`, operatorToken, "POST", {
    observations
  })
})

describe("leads", () => {
  it("are a table on a terminal, JSON elsewhere, and every form by name, in none of which a text steers [CLI-9, CLI-10]", async () => {
    const list = ["leads", "list", ...of, "--sort", "createdAt:asc", "--page-size", "2"]
    const onTerminal = await runOnTerminal(list, { columns: 100 })
    const [heading, ada, evil, footer] = onTerminal.out.split("\n")
    expect(heading).toMatch(/^id +name +title +company/)
    expect(ada).toMatch(/^\d+ +Ada Exam/)
    expect(footer).toBe("2 of 230, page 1 of 115")
    for (const line of [heading!, ada!, evil!]) expect(line.length).toBeLessThanOrEqual(100)
    const piped = await runCommand(list)
    expect(JSON.parse(piped.out).data.map(({ name }: any) => name)).toEqual(["Ada Example", hostile])
    expect((await runCommand([...list, "--json"])).out).toBe(piped.out)
    const lines = (await runCommand([...list, "--output", "jsonl"])).out.trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(["Ada Example", hostile])
    const csv = await runCommand([...list, "--output", "csv"])
    expect(csv.out.split("\r\n")).toHaveLength(4)
    expect(csv.out).toContain(`'=cmd|' /C calc'!A1`)
    const rendered = await runOnTerminal(["leads", "show", JSON.parse(lines[1]!).id.toString(), ...of])
    expect(rendered.out).toMatch(/^name +=cmd.*adA$/m)
    const csvOnTerminal = await runOnTerminal([...list, "--output", "csv"])
    const jsonOnTerminal = await runOnTerminal([...list, "--json"])
    for (const { out } of [onTerminal, piped, rendered, csvOnTerminal, jsonOnTerminal])
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(out).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/)
    const both = await runCommand([...list, "--json", "--output", "csv"])
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("leave one out")])
  })

  it.runIf(isThorough)(
    "are listed again and again by --watch, also across an outage of the server [CLI-13]",
    async () => {
      const list = ["leads", "list", ...of, "--page-size", "1", "--watch", "--interval", "0.1"]
      const watch = async (isTerminal: boolean): Promise<string> => {
        let text = ""
        let failed = false
        const { ended, interrupt } = startCommand(
          list,
          {},
          (part) => {
            text += part
            const times = text.match(isTerminal ? /^1 of 230/gm : /"total":230/g)?.length ?? 0
            if (times === 1 && !failed) {
              failed = true
              proxy.failNext(0, 503)
            }
            if (times === 3) interrupt()
          },
          isTerminal ? { columns: 80 } : undefined
        )
        const { err, out } = await ended
        expect(err).toMatch(/There is no answer from[^\n]*\n[^\n]+\n$/)
        return out
      }
      const elsewhere = await watch(false)
      expect(elsewhere.trim().split("\n")).toHaveLength(3)
      expect(elsewhere).not.toContain("\u001b")
      expect((await watch(true)).split("\u001b[2J\u001b[H")).toHaveLength(4)
      proxy.failNext(503)
      expect((await runCommand(list)).code).toBe(3)
      for (const wrong of [
        ["--output", "csv"],
        ["--interval", "0"]
      ])
        expect((await runCommand([...list, ...wrong])).code).toBe(2)
    }
  )

  it("are exported as the console does, once each, while the server fails on the way [CLI-11]", async () => {
    const file = join(folder, "leads.csv")
    proxy.failNext(503, 0)
    const exported = await runCommand(["leads", "export", ...of, "--out", file])
    expect(exported).toMatchObject({ code: 0, out: `230 leads are in ${file}.\n` })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(`${file}.part`)).toBe(false)
    const again = await runCommand(["leads", "export", ...of, "--out", file])
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("no export overwrites a file")])
    const jsonl = await runCommand(["leads", "export", ...of, "--format", "jsonl"])
    const leads = jsonl.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(new Set(leads.map(({ id }) => id)).size).toBe(230)
    // The console is built with types of browsers.
    const { headerOf, linesOf } = (await import(
      new URL("../../packages/console/src/leads/exportLeads.ts", import.meta.url).href
    )) as any
    expect(readFileSync(file, "utf8")).toBe(headerOf("csv") + linesOf("csv", leads))
    const some = await runCommand(["leads", "export", ...of, "--search", "ada e", "--format", "jsonl"])
    expect(some.out.trim().split("\n")).toHaveLength(1)
  })

  it("are changed, and erased with the id typed on a terminal or given again [CLI-16, OPER-5, PII-3]", async () => {
    const { data } = JSON.parse((await runCommand(["leads", "list", ...of, "--search", "Person 7"])).out)
    const id = String(data[0].id)
    const erase = ["leads", "erase", id, ...of]
    const set = await runCommand(["leads", "set", id, ...of, "--qualified", "true", "--score", "2"])
    expect(set.out).toBe(`Lead ${id} is qualified, not exported, not an employee, score 2.\n`)
    expect((await runCommand(["leads", "set", id, ...of])).code).toBe(2)
    expect((await runCommand(["leads", "set", id, ...of, "--score", "none", "--json"])).out).toContain(
      '"score1":null'
    )
    expect((await runCommand(["leads", "set", id, ...of, "--score", "much"])).err).toContain(
      "--score takes a number, or none."
    )
    // Without a terminal, with another id, and typed wrongly or not at all.
    for (const refused of [
      await runCommand(erase),
      await runCommand([...erase, "--confirm", "1"]),
      await runOnTerminal(erase, { columns: 80, typed: `${id}0\n` }),
      await runOnTerminal(erase, { columns: 80 })
    ])
      expect(refused.code).not.toBe(0)
    const typed = await runOnTerminal(erase, { columns: 80, typed: `${id}\n` })
    expect(typed).toMatchObject({ code: 0, out: `Lead ${id} is erased.\n` })
    expect(typed.err).toContain(`Lead ${id}: ${data[0].name}`)
    expect((await runCommand(["leads", "show", id, ...of])).code).toBe(1)
  })

  it("end quietly when the reader of the output has gone [CLI-12]", async () => {
    const line = `"${process.execPath}" "${program}" leads export ${of.join(" ")} | head -n 1; echo "\${PIPESTATUS[0]}"`
    const env = { PATH: process.env["PATH"], LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken }
    const child = spawn("bash", ["--norc", "-c", line], { cwd: folder, env })
    const text = { out: "", err: "" }
    child.stdout.on("data", (part) => (text.out += part))
    child.stderr.on("data", (part) => (text.err += part))
    await once(child, "close")
    expect(text).toEqual({ out: expect.stringMatching(/^id,extId,name,.*\r\n0\n$/), err: "" })
  })
})

describe("an export beside writers", () => {
  interface ListedLead {
    readonly id: number
    readonly createdAt: string
  }
  type Query = Readonly<Record<string, string | number>>

  /** A list of leads whose instants many share, as the API answers it. */
  const pagesOf = (leads: ReadonlyArray<ListedLead>, query: Query) => {
    const found = leads
      .filter(
        ({ createdAt }) =>
          createdAt >= (query["createdAfter"] ?? "") && createdAt <= (query["createdBefore"] ?? "9")
      )
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id - b.id)
    const [page, size] = [Number(query["page"] ?? 1), Number(query["pageSize"])]
    const pagination = { total: found.length, pageCount: Math.ceil(found.length / size) }
    return { data: found.slice((page - 1) * size, page * size), meta: { pagination } }
  }

  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()

  /** Numbers below a bound, always the same for a seed. */
  const randomOf = (seed: number) => {
    let last = seed
    return (below: number): number => (last = (last * 48_271) % 2_147_483_647) % below
  }

  type Export = (
    read: (query: Query) => ReturnType<typeof pagesOf>,
    filter: Readonly<Record<string, string>>
  ) => Promise<ReadonlyArray<number>>

  /** The ids in the order in which the command exports them. */
  const byCommand: Export = async (read, filter) => {
    const parts = await Effect.runPromise(
      Stream.runCollect(exportLeads((query) => Effect.sync(() => read(query)), filter))
    )
    return Chunk.toReadonlyArray(parts).flatMap(({ leads }) => leads.map(({ id }) => id))
  }

  /** The ids in the order in which the console exports them. */
  const byConsole: Export = async (read, filter) => {
    // The console is built with types of browsers.
    const { allLeads } = (await import(
      new URL("../../packages/console/src/leads/exportLeads.ts", import.meta.url).href
    )) as any
    const ids: Array<number> = []
    for await (const { leads } of allLeads(async (query: Query) => read(query), filter))
      ids.push(...leads.map(({ id }: ListedLead) => id))
    return ids
  }

  const exports = [
    { by: "the command", run: byCommand, filters: [{}, { includeEngagements: "true" }] },
    { by: "the console", run: byConsole, filters: [{}] }
  ] as const

  it.each(exports)("by $by has every lead that stays, once [CLI-11]", async ({ run }) => {
    for (let round = 0; round < 9; round++) {
      let next = 0
      const random = randomOf(round + 1)
      const instants = [1, 4, 900][round % 3]!
      let leads = Array.from({ length: 700 }, () => ({ id: next++, createdAt: at(random(instants)) }))
      const gone = new Set<number>()
      const ids = await run((query) => {
        const answer = pagesOf(leads, query)
        const victim = leads[random(leads.length)]!
        gone.add(victim.id)
        leads = [...leads.filter((lead) => lead !== victim), { id: next++, createdAt: at(instants) }]
        return answer
      }, {})
      expect([round, new Set(ids).size]).toEqual([round, ids.length])
      for (let id = 0; id < 700; id++)
        if (!gone.has(id)) expect([round, id, ids.includes(id)]).toEqual([round, id, true])
    }
  })

  it.each(exports)(
    "by $by has every lead that stays, once and in order, where others enter and leave the filter [CLI-11]",
    async ({ filters, run }) => {
      const drawn = [1, 2, 3].flatMap((instants) =>
        [0, 1, 8, 60].flatMap((changes) => filters.map((filter) => ({ changes, filter, instants })))
      )
      for (const { changes, filter, instants } of drawn) {
        const random = randomOf(instants * 100 + changes + 1)
        const leads = Array.from({ length: 900 }, (_, id) => ({ id, createdAt: at(random(instants)) }))
        const staying = leads.filter(({ id }) => id % 3 === 0)
        const passing = new Set(leads.filter(() => random(2) === 0))
        for (const lead of staying) passing.add(lead)
        let reads = 0
        const ids = await run((query) => {
          // Without an end the test would run for ever, and not fail.
          if (++reads > 500) throw new Error("The export reads page after page.")
          const answer = pagesOf([...passing], query)
          for (let i = 0; i < changes; i++) {
            const lead = leads[random(leads.length)]!
            if (lead.id % 3 === 0) continue
            if (!passing.delete(lead)) passing.add(lead)
          }
          return answer
        }, filter)
        const expected = staying
          .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id - b.id)
          .map(({ id }) => id)
        expect({ changes, filter, instants, ids: ids.filter((id) => id % 3 === 0) }).toEqual({
          changes,
          filter,
          instants,
          ids: expected
        })
        expect(new Set(ids).size).toBe(ids.length)
        // Pages overlap, but most of each is new.
        const pageSize = "includeEngagements" in filter ? 25 : 100
        if (changes === 0) expect(reads).toBeLessThan(passing.size / (pageSize * 0.6) + 3)
      }
    }
  )
})

describe("events, metrics and trigger", () => {
  it("print events as they come, also after the stream has ended, and make one happen [CLI-17, LIVE-1]", async () => {
    let text = ""
    let triggered = 0
    const trigger = (...args: ReadonlyArray<string>) => runCommand(["trigger", ...args, ...of])
    const { ended, interrupt } = startCommand(["events", ...of], {}, (part) => {
      text += part
      const connected = text.match(/Connected/g)?.length ?? 0
      const created = text.match(/"event":"lead2.created","data"/g)?.length ?? 0
      if (connected === triggered + 1 && connected < 3) {
        triggered++
        void trigger("lead2.created")
      }
      if (created === 1 && triggered === 1) server.child.emit("first")
      if (created === 2) interrupt()
    })
    await once(server.child, "first")
    proxy.endStreams()
    const { out } = await ended
    const printed = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(printed.filter(({ event }) => event === "lead2.created")).toHaveLength(2)
    expect(printed[0].data.lead.name).toBe("Trigger Example")
    const first = JSON.parse((await trigger("activity.detected", "--json")).out)
    const second = JSON.parse((await trigger("activity.detected", "--json")).out)
    expect([second.leadId, second.engagementId]).toEqual([
      first.leadId,
      expect.not.stringContaining(first.engagementId)
    ])
    await runCommand(["leads", "erase", String(first.leadId), "--confirm", String(first.leadId), ...of])
    expect(JSON.parse((await trigger("activity.detected", "--json")).out).leadId).not.toBe(first.leadId)
    expect((await trigger("webhook.test")).err).toContain("--webhook")
    // One's own brand of that name is not the demo.
    await runCommand(["brands", "create", "Demo", "--url", proxy.url])
    const without = await runCommand(["trigger", "lead2.created", "--url", proxy.url])
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("no demo brand")])
  })

  it("go on after the last event that came, and end when the server refuses [CLI-17, LIVE-2]", async () => {
    const requested: Array<string | undefined> = []
    const data = {
      occurredAt: "2026-01-31T10:00:00.000Z",
      lead: { name: "Ada\u001b[31m", headline: "a\u2028b" },
      engagement: { type: "reaction", reactionType: "LIKE" },
      signal: { name: "S" },
      isFirstActivity: true
    }
    const streams = [
      `id: 7\nretry: 1000\n\nid: 8\nevent: lead2.created\ndata: ${JSON.stringify(data)}\n\n`,
      'id: 9\nevent: gap\ndata: {"reason":"too_old"}\n\n'
    ]
    const fake = createServer((request, response) => {
      requested.push(request.headers["last-event-id"] as string | undefined)
      const stream = streams.shift()
      if (stream === undefined) response.writeHead(401).end("{}")
      else response.writeHead(200, { "content-type": "text/event-stream" }).end(stream)
    }).listen(0, "127.0.0.1")
    await once(fake, "listening")
    const url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    const { code, out } = await runOnTerminal(["events", "--brand", "2", "--url", url])
    fake.close()
    expect([code, requested]).toEqual([1, [undefined, "8", "9"]])
    expect(out).toBe(
      "10:00:00  lead2.created      Ada [31m, a b  · reaction LIKE · S · first activity\nEvents may be missing here: too many happened meanwhile.\n"
    )
  })

  it("send to one webhook alone, and make nothing [CLI-17]", async () => {
    const received: Array<string> = []
    const receiver = createServer((request, response) => {
      request.on("data", (part) => received.push(JSON.parse(part).event)).on("end", () => response.end())
    }).listen(0, "127.0.0.1")
    await once(receiver, "listening")
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const json = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await runCommand([...args, ...of, "--json"])).out)
    const before = (await json("leads", "list")).meta.pagination.total
    const one = await json("webhooks", "create", target)
    for (const event of ["webhook.test", "lead2.created"]) await json("trigger", event, "--webhook", one.id)
    while (received.length < 2) await new Promise((resolve) => receiver.once("request", resolve))
    expect(received.sort()).toEqual(["lead2.created", "webhook.test"])
    expect((await json("leads", "list")).meta.pagination.total).toBe(before)
    receiver.close()
  })

  it("list samples of the server's metrics with their labels", async () => {
    const samples = JSON.parse((await runCommand(["metrics", "--url", proxy.url])).out)
    const page = await (
      await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
    ).text()
    const lines = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    expect(samples.length).toBeGreaterThan(50)
    expect(Math.abs(samples.length - lines.length)).toBeLessThan(20)
    const route = samples.find(({ labels }: any) => labels.route !== undefined)
    expect(page).toContain(`route="${route.labels.route}"`)
    const some = await runOnTerminal(["metrics", "--name", route.name, "--url", proxy.url], { columns: 200 })
    expect(some.out).toMatch(/^metric +labels +value\n/)
  })
})
