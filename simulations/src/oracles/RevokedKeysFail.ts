import type { Oracle } from "./Oracle.ts"

/** From the moment a revocation is acknowledged no request with the key succeeds; before it is asked for, none fails for it. [AUTH-5] */
export const revokedKeysFail: Oracle = {
  name: "revoked keys fail",
  instantiate: (facts) => ({
    answered: ({ at, call, response }) => {
      const { key, sentAt } = call
      if (key === null) {
        const isValid = call.expects?.status !== 401
        return isValid && response.status === 401 ? "the operator's token was refused" : null
      }
      if (key.revokedAt !== null && sentAt > key.revokedAt) {
        if (response.status === 401) facts.coverageMarks.add("a revoked key was refused")
        return response.status === 401 || response.status >= 500
          ? null
          : `key ${key.id} was revoked, and answered ${response.status}`
      }
      return response.status === 401 && (key.revokingAt === null || at < key.revokingAt)
        ? `key ${key.id} is valid, and was refused`
        : null
    }
  })
}
