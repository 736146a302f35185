/**
 * Loaded into the processes of the tests before vitest. vitest fails a run when one of its messages is not answered within a minute, and
 * counts the time for which a property keeps the process busy, or the machine does. Only its own timers of a minute are changed: `Seed.ts`
 * gives the tests theirs back.
 */
const { setTimeout } = globalThis

const messageMillis = 60_000

/** As long as a test may take. */
const patience = 10

const patientSetTimeout = (callback, millis, ...rest) =>
  setTimeout(callback, millis === messageMillis ? patience * messageMillis : millis, ...rest)

globalThis.setTimeout = Object.defineProperties(
  patientSetTimeout,
  Object.getOwnPropertyDescriptors(setTimeout)
)
globalThis.restoreSetTimeout = () => {
  if (globalThis.setTimeout === patientSetTimeout) globalThis.setTimeout = setTimeout
}
