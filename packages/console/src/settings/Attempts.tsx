/** The attempts of a delivery: what was sent, and what came back. */
import type { Schemas, Webhook } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { CopyButton } from "../ui/Copy.tsx"
import { exactTime } from "../ui/Time.tsx"
import { isTaken } from "./attemptTotals.ts"

type DeliveryDetail = Schemas["DeliveryDetail"]
type AttemptOf = DeliveryDetail["log"][number]

const blockClass =
  "bg-sunken max-h-56 overflow-auto rounded-md p-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap"

const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const bodyTexts: Readonly<Record<DeliveryDetail["state"], string>> = {
  pending: "The body is made when the first attempt begins.",
  held: "The body is made when the first attempt begins.",
  delivered: "The body held personal data, and went when the delivery was taken.",
  dead: "The body held personal data, and went when the delivery was given up."
}

/** What every attempt of the delivery sends. */
export const RequestBody = ({ delivery: { body, state } }: { readonly delivery: DeliveryDetail }) => (
  <section aria-label="Request body" className="mb-4 flex flex-col gap-2">
    <h3 className="text-sm font-semibold">Body of the request</h3>
    {body === null ? (
      <p className="text-muted text-sm">{bodyTexts[state]}</p>
    ) : (
      <>
        <pre tabIndex={0} className={blockClass}>
          {indented(body)}
        </pre>
        <div>
          <CopyButton text={body} label="Copy as it is sent" />
        </div>
      </>
    )}
  </section>
)

const headerLines = ({ headers }: AttemptOf): string =>
  [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "webhook-signature: v1,… (not kept: the secret made it)"
  ].join("\n")

const Attempt = ({
  attempt,
  webhook
}: {
  readonly attempt: AttemptOf
  readonly webhook: Webhook | undefined
}) => (
  <li className="border-line flex flex-col gap-1.5 border-t py-3 first:border-t-0 first:pt-0">
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <span className="font-medium">Attempt {attempt.number}</span>
      <Badge tone={isTaken(attempt.status) ? "good" : "bad"}>
        {attempt.status === null ? (attempt.error ?? "no answer") : `Status ${attempt.status}`}
      </Badge>
      <span className="text-muted text-xs">
        {exactTime(attempt.at)}, {attempt.durationMillis} ms
      </span>
    </p>
    <details className="text-sm">
      <summary className="text-accent touch:py-3 cursor-pointer">Request</summary>
      <pre tabIndex={0} aria-label={`Headers of attempt ${attempt.number}`} className={`mt-1 ${blockClass}`}>
        {webhook === undefined ? "" : `POST ${webhook.url}\n`}
        {headerLines(attempt)}
      </pre>
    </details>
    {attempt.response === null || attempt.response === "" ? null : (
      <>
        <h4 className="text-muted text-xs">Response</h4>
        <pre tabIndex={0} aria-label={`Response to attempt ${attempt.number}`} className={blockClass}>
          {attempt.response}
        </pre>
      </>
    )}
  </li>
)

/** The oldest first, each with status, duration, the headers that were sent and the beginning of the answer, as far as the log keeps it. */
export const Attempts = ({
  log,
  webhook
}: {
  readonly log: DeliveryDetail["log"]
  /** The webhook whose present URL is displayed. */
  readonly webhook: Webhook | undefined
}) =>
  log.length === 0 ? (
    <p className="text-muted text-sm">No attempt has ended yet.</p>
  ) : (
    <ol aria-label="Attempts">
      {log.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} webhook={webhook} />
      ))}
    </ol>
  )
