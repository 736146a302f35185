/** Probes that no campaign sends, with the reason. */

const reasons: ReadonlyArray<readonly [probe: RegExp, reason: string]> = [
  [
    /^metrics: (?:as it should be|scheme )/,
    "the answer to GET /metrics is text for Prometheus, and the simulated host collects no metrics"
  ],
  [
    /^(?:signIn|session|signOut)[: ]/,
    "the calls about sessions have an actor and a scenario of their own, `sessions`; their forms have tests"
  ]
]

/** Why the probe of this name is not sent; null where it is. */
export const unreachable = (name: string): string | null =>
  reasons.find(([probe]) => probe.test(name))?.[1] ?? null
