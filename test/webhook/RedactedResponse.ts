/** A response as the log of attempts shows it. */
import { ResponseRedactor } from "@lead-signals/webhook"

/** The first bytes of the answer to a post whose event has the payload, redacted; null where nothing is shown. */
export const redacted = (
  answer: string | Buffer,
  payload: unknown,
  cutAt = 1024,
  by: Pick<typeof ResponseRedactor, "redact"> = ResponseRedactor
): string | null => {
  const bytes = Buffer.from(answer)
  return by.redact(bytes.subarray(0, cutAt), bytes.length > cutAt, [JSON.stringify({ data: payload })])
}
