/** Copies of a brand's leads by the feed of changes while many write, over HTTP: one process on SQLite, three nodes on Postgres. */
import * as PostgresStore from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { followAmongWriters } from "../harness/FollowedChanges.ts"
import { startApi } from "../harness/HttpServers.ts"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

/** A few in the default run, whose readers ask all the time. */
const size = isThorough ? {} : { writers: 4, readers: 3 }

describe("copies by the feed of changes, while others write", () => {
  const expectMuch = ({
    changes,
    erased,
    events,
    leads,
    resumed
  }: Awaited<ReturnType<typeof followAmongWriters>>) => {
    expect([changes >= leads, events > leads, erased > 0, leads > 0, resumed > 0]).toEqual([
      true,
      true,
      true,
      true,
      true
    ])
  }

  it("are equal to the list on SQLite [CHG-1, CHG-3]", async () => {
    const filename = join(temporaryFolder(), "followed.sqlite")
    const api = await startApi({ stores: SqliteStore.layer({ filename, synced: false }) })
    const counts = await followAmongWriters({ urls: [api.url], ...size, writes: isThorough ? 3000 : 52 })
    if (isThorough) console.log(JSON.stringify(counts))
    expectMuch(counts)
  })

  it.skipIf(isWithoutPostgres)(
    "are equal to the list on three nodes of one Postgres [CHG-1, CHG-3, CHG-4]",
    async () => {
      const url = await migratedDatabase()
      const nodes = []
      for (let i = 0; i < 3; i++) {
        nodes.push(
          await startApi({ stores: PostgresStore.layer({ url, maxConnections: 4, notifications: false }) })
        )
      }
      const urls = nodes.map((node) => node.url)
      const counts = await followAmongWriters({ urls, ...size, writes: isThorough ? 1500 : 52 })
      if (isThorough) console.log(JSON.stringify(counts))
      expectMuch(counts)
    }
  )
})
