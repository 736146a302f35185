/**
 * The next iteration of the event loop. Work that waits for nothing goes on from promise to promise, and the test runner's own
 * messages would wait for as long as a whole property takes.
 */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
