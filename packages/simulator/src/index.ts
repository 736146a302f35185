/** Deterministic simulation: a kernel of turns and virtual time, and traffic as a function of a seed. */
export * from "./BrandHistory.ts"
export { HostClock } from "./kernel/HostClock.ts"
export { Kernel, type Ended, type KernelOptions } from "./kernel/Kernel.ts"
export { Machine } from "./kernel/Machine.ts"
export * as Picker from "./kernel/Picker.ts"
export { sealed, virtualised, type VirtualTimers } from "./kernel/Seal.ts"
export { firstDivergence, Trace, type TraceEvent, type TraceValue } from "./kernel/Trace.ts"
export { Prng, zipf } from "./Prng.ts"
