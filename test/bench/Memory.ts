/** What the memory store needs for a lead beyond the data itself. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** Bytes for a lead, in plain objects and in the store, and how long two pages of the store take. */
export interface MemoryFigure {
  readonly leads: number
  readonly plainBytes: number
  readonly storeBytes: number
  readonly firstPageMillis: number
  readonly lastPageMillis: number
}

const child = async <A>(kind: "plain" | "store", leads: number): Promise<A> => {
  const process = fork(fileURLToPath(new URL("MemoryChild.ts", import.meta.url)), [kind, String(leads)], {
    execArgv: ["--expose-gc", "--import", "tsx"]
  })
  const [answer] = (await once(process, "message")) as [A]
  await once(process, "exit")
  return answer
}

/** Each in a process of its own, after a collection. */
export const measureMemory = async (leads: number): Promise<MemoryFigure> => {
  const plain = await child<{ bytesPerLead: number }>("plain", leads)
  const store = await child<{ bytesPerLead: number; firstPageMillis: number; lastPageMillis: number }>(
    "store",
    leads
  )
  return {
    leads,
    plainBytes: plain.bytesPerLead,
    storeBytes: store.bytesPerLead,
    firstPageMillis: store.firstPageMillis,
    lastPageMillis: store.lastPageMillis
  }
}
