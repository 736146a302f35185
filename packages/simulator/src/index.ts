/** Deterministic traffic for Lead Signals: what the demo brand is filled with. */
export * from "./BrandHistory.ts"
export { Prng, zipf } from "./Prng.ts"
