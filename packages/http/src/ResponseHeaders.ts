import type { RequestRecord } from "./RequestRecord.ts"

const seconds = (instant: number): string => String(Math.ceil(instant / 1000))

/** The headers of every response. Bodies hold personal data: no cache may keep them, unless a response says otherwise. */
export const headersOf = (status: number, { id, rate }: RequestRecord): Record<string, string> => {
  const headers: Record<string, string> = {
    "x-request-id": id,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  }
  if (rate !== null) {
    headers["x-ratelimit-limit"] = String(rate.limit)
    headers["x-ratelimit-remaining"] = String(rate.remaining)
    headers["x-ratelimit-reset"] = seconds(rate.resetAt)
    if (status === 429) headers["retry-after"] = String(rate.retryAfterSeconds)
  }
  if (status === 401) headers["www-authenticate"] = "Bearer"
  return headers
}
