/**
 * What the simulator has of the store beside its ports: a look at what searches keep in memory, and what a store over a host's client needs. A
 * program that serves leads needs none of it.
 */
import type { RateWindows } from "@lead-signals/domain"
import type { Layer } from "effect"
import * as SqliteRateWindows from "../stores/SqliteRateWindows.ts"

export { hostClient } from "./HostFile.ts"
export { residueOf } from "./TextsInMemory.ts"

/** The port of rate windows in a file of their own, which outlive a process. */
export const rateWindowsIn = (filename: string): Layer.Layer<RateWindows> =>
  SqliteRateWindows.layer(filename, undefined)
