/** How fast work of this process is, and what it costs: other work on the machine changes the processor time far less than the rate. */
export interface Pace {
  readonly perSecond: number
  /** Microseconds of processor time for each, of all threads of this process and of the kernel on their behalf. */
  readonly micros: number
}

/** Runs the work, which answers how many it has done. */
export const paced = async (work: () => Promise<number>): Promise<Pace> => {
  const used = process.cpuUsage()
  const startedAt = performance.now()
  const done = await work()
  const { system, user } = process.cpuUsage(used)
  return { perSecond: (done * 1000) / (performance.now() - startedAt), micros: (user + system) / done }
}

/** One a round, in the order of the rounds. */
export const ratesOf = (paces: ReadonlyArray<Pace>): ReadonlyArray<number> =>
  paces.map(({ perSecond }) => perSecond)

/** Microseconds of processor time, one a round. */
export const microsOf = (paces: ReadonlyArray<Pace>): ReadonlyArray<number> =>
  paces.map(({ micros }) => micros)
