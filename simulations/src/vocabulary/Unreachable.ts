/** Probes that no campaign sends, with the reason. */

const reasons: ReadonlyArray<readonly [probe: RegExp, reason: string]> = [
  [
    /^metrics: (?:as it should be|scheme )/,
    "the answer to GET /metrics is text for Prometheus, and the simulated host collects no metrics"
  ],
  [
    /^(?:signIn|session|signOut)[: ]/,
    "no party of a simulation is a browser; the calls about sessions have tests of their own"
  ]
]

/** Why the probe of this name is not sent; null where it is. */
export const unreachable = (name: string): string | null =>
  reasons.find(([probe]) => probe.test(name))?.[1] ?? null
