/** Where a history of changes ends: a restore, a copy, an epoch that the operator begins, and a server that drains. */
import { createClient } from "@lead-signals/client"
import * as PostgresStore from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect } from "effect"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { runCommand } from "../harness/CommandRun.ts"
import { type Api, observation, observe, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const onFile = (filename: string) => startApi({ stores: SqliteStore.layer({ filename, synced: false }) })

const readerOf = (api: Api, key: string) => async (query: string) => {
  const response = await fetch(`${api.url}/signals/changes?${query}`, {
    headers: { authorization: `Bearer ${key}` }
  })
  return { status: response.status, body: (await response.json()) as any }
}

const expired = { status: 410, body: { error: { code: "cursor_expired" } } }

/** A file with three leads, a backup of it, and a copy that has seen the fourth lead, and the removal of the first, as well. */
const setUp = async () => {
  const folder = temporaryFolder()
  const database = join(folder, "leads.sqlite")
  const backup = join(folder, "backup.sqlite")
  const api = await onFile(database)
  const brand = await setUpBrand(api)
  await observe(api, brand, ...["a", "b", "c"].map((id) => observation(brand.signalId, id, id)))
  await Effect.runPromise(SqliteStore.backup(database, backup))
  const [late] = await observe(api, brand, observation(brand.signalId, "d", "d"))
  const read = readerOf(api, brand.key)
  const { data, meta } = (await read("")).body
  await api.operate("DELETE", `/operator/brands/${brand.id}/leads/${data[0].lead.id}`)
  const { cursor } = (await read(`cursor=${meta.cursor}`)).body.meta as { readonly cursor: string }
  return { folder, database, backup, api, brand, cursor, erased: data[0].lead.id, late: late.leadId }
}

/** Every cursor of before is refused with 410, and a copy that begins anew has what there is. */
const expectAnew = async (
  api: Api,
  key: string,
  cursor: string,
  extIds: ReadonlyArray<string>
): Promise<void> => {
  const read = readerOf(api, key)
  expect(await read(`cursor=${cursor}`)).toMatchObject(expired)
  expect(await read(`cursor=${cursor}&wait=30`)).toMatchObject(expired)
  const client = createClient({ url: api.url, key })
  const next = client.changes({ cursor })
  await expect(next.next()).rejects.toMatchObject({
    _tag: expect.stringContaining("RequestRefused"),
    status: 410,
    code: "cursor_expired"
  })
  const found: Array<string> = []
  let last: string | undefined
  for await (const page of client.changes({ pageSize: 2 })) {
    found.push(...page.leads.map((lead) => lead.extId))
    last = page.cursor
  }
  expect(found).toEqual(extIds)
  expect(await read(`cursor=${last}`)).toMatchObject({
    status: 200,
    body: { data: [], meta: { hasMore: false } }
  })
}

describe("a cursor of the feed of changes", () => {
  it("goes on after a restart, and ends with 410 after a restore [CHG-4, CHG-5]", async () => {
    const { api, backup, brand, cursor, database } = await setUp()
    await api.stop()
    const again = await onFile(database)
    expect(await readerOf(again, brand.key)(`cursor=${cursor}`)).toMatchObject({
      status: 200,
      body: { data: [] }
    })
    await again.stop()
    await Effect.runPromise(
      SqliteStore.restore({
        file: backup,
        target: database,
        journal: "beside",
        acceptIncomplete: false,
        replace: true,
        dryRun: false
      })
    )
    // The lead that was erased after the backup is erased again, and the one that came after it is lost.
    await expectAnew(await onFile(database), brand.key, cursor, ["b", "c"])
  })

  it("ends with 410 in a copy of the data, and goes on in what was copied [CHG-5]", async () => {
    const { api, brand, cursor, database, folder } = await setUp()
    const target = join(folder, "target.sqlite")
    await api.stop()
    const { code, err } = await runCommand(["copy", "--from", database, "--to", target])
    expect(code, err).toBe(0)
    await expectAnew(await onFile(target), brand.key, cursor, ["b", "c", "d"])
    const source = await onFile(database)
    expect(await readerOf(source, brand.key)(`cursor=${cursor}`)).toMatchObject({
      status: 200,
      body: { data: [] }
    })
  })

  it("ends with 410 at a store that has not come so far, as a file that was put back by hand [CHG-5, CHG-7]", async () => {
    const { api, backup, brand, cursor, folder } = await setUp()
    await api.stop()
    // Without the journal of removals beside it nothing tells that the file is older.
    const older = join(folder, "older.sqlite")
    copyFileSync(backup, older)
    const restored = await onFile(older)
    expect(await readerOf(restored, brand.key)(`cursor=${cursor}&wait=30`)).toMatchObject(expired)
    const path = `/operator/brands/${brand.id}/changes?cursor=${cursor}`
    expect(await restored.operate("GET", path)).toMatchObject(expired)
  })

  it.skipIf(isWithoutPostgres)(
    "ends with 410 once the operator has begun another history on Postgres, at once for who waits [CHG-5, CHG-6]",
    async () => {
      const url = await migratedDatabase()
      const api = await startApi({
        stores: PostgresStore.layer({ url, maxConnections: 4, notifications: false })
      })
      const brand = await setUpBrand(api)
      await observe(api, brand, observation(brand.signalId, "a", "a"))
      const { cursor } = (await readerOf(api, brand.key)("")).body.meta
      const waiting = readerOf(api, brand.key)(`cursor=${cursor}&wait=30`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query("UPDATE lead_signals.brand SET change_epoch = gen_random_uuid()::text")
      await client.end()
      expect(await waiting).toMatchObject(expired)
      await expectAnew(api, brand.key, cursor, ["a"])
    }
  )
})

describe("a server that drains", () => {
  it("answers requests that wait for changes with what there is, and a new one at once [CHG-6]", async () => {
    let isDraining = false
    const api = await startApi({ draining: () => isDraining })
    const brand = await setUpBrand(api)
    await observe(api, brand, observation(brand.signalId, "a", "a"))
    const read = readerOf(api, brand.key)
    const { cursor } = (await read("")).body.meta
    const began = performance.now()
    const waiting = [1, 2, 3].map(() => read(`cursor=${cursor}&wait=30`))
    await new Promise((resolve) => setTimeout(resolve, 100))
    isDraining = true
    for (const answered of [...(await Promise.all(waiting)), await read(`cursor=${cursor}&wait=30`)])
      expect(answered).toEqual({ status: 200, body: { data: [], meta: { cursor, hasMore: false } } })
    expect(performance.now() - began).toBeLessThan(25_000)
    isDraining = false
    await observe(api, brand, observation(brand.signalId, "b", "b"))
    // The cursor is good at the next server.
    expect((await read(`cursor=${cursor}`)).body.data).toHaveLength(1)
  })
})
