/**
 * Where generated cases begin. The same in every run, so that a commit is green or not whenever it runs; PROPERTY_SEED=random
 * looks for what no run has met yet, and a number repeats such a run. What is found becomes an example of its property.
 */
import fc from "fast-check"

;(globalThis as { restoreSetTimeout?: () => void }).restoreSetTimeout?.()

const requested = process.env["PROPERTY_SEED"] ?? "1"

if (requested !== "random") {
  const seed = Number(requested)
  if (!Number.isInteger(seed)) throw new Error("PROPERTY_SEED takes an integer, or random.")
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
}
