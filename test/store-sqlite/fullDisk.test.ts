/** A service whose disk is full: reads are served, and writes fail with the reason. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { join } from "node:path"
import { observation, observe, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { smallDisk } from "./SmallDisk.ts"

const disk = smallDisk(16)

describe.skipIf(disk === null)("on a full disk", () => {
  it("reads are answered, writes are refused with the reason, and readiness says what works [ERR-2, ERR-3, HEALTH-3, RATE-6]", async () => {
    const { fill, folder, free } = disk!
    const api = await startApi({ stores: SqliteStore.layer({ filename: join(folder, "full.sqlite") }) })
    // So few that each is counted in the file.
    const brand = await setUpBrand(api, 100)
    await observe(api, brand, observation(brand.signalId, "p1", "e1"))
    const ready = () => api.call("/health/ready")
    expect((await ready()).body).toEqual({ status: "ok", reads: true, writes: true, reason: null })
    fill()

    let written = 0
    const write = () =>
      api.operate("POST", `/operator/brands/${brand.id}/observations`, {
        observations: Array.from({ length: 100 }, () =>
          observation(brand.signalId, `q${++written}`, `q${written}`)
        )
      })
    // What the log has room for is still taken.
    let refused = await write()
    for (let tries = 0; refused.status === 200 && tries < 100; tries++) refused = await write()
    expect([refused.status, refused.body.error.code]).toEqual([503, "unavailable"])
    expect(refused.body.error.message).toContain("the disk is full")

    const remaining: Array<number> = []
    for (let i = 0; i < 5; i++) {
      for (const path of ["/signals/leads?search=name", "/signals/leads/1"]) {
        const { headers, status } = await api.call(path, { token: brand.key })
        expect([path, status]).toEqual([path, 200])
        remaining.push(Number(headers.get("x-ratelimit-remaining")))
      }
    }
    expect(remaining.map((left) => remaining[0]! - left)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(api.log.filter((line) => line.includes("rate windows are kept in memory"))).toHaveLength(1)
    const degraded = await ready()
    expect([degraded.status, degraded.body]).toEqual([
      200,
      { status: "degraded", reads: true, writes: false, reason: "the disk is full" }
    ])

    free()
    for (let waited = 0; (await ready()).body.writes !== true; waited++) {
      expect(waited).toBeLessThan(100)
      await sleep(50)
    }
    expect((await write()).status).toBe(200)
    await api.stop()
  })
})
