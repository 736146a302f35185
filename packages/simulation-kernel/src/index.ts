/** Deterministic simulation of any program on Effect: fibers step by step, virtual time, seeded numbers. */
export { HostClock } from "./HostClock.ts"
export { Kernel, type Ended, type KernelOptions } from "./Kernel.ts"
export { Machine, type OnLogged } from "./Machine.ts"
export * as Picker from "./Picker.ts"
export { isolated, virtualised, type VirtualTimers } from "./HostIsolation.ts"
export { firstDivergence, Trace, type TraceEvent, type TraceValue } from "./Trace.ts"
export { Prng, zipf } from "./Prng.ts"
