/** The fields of a webhook: of a new one, and of a change. */
import { useState } from "react"
import type { Webhook } from "../api/client.ts"
import { SelectField, TextField } from "../ui/Field.tsx"
import { formatTexts, orderingTexts } from "./WebhookSending.tsx"

/** As the API names it. */
export type EventType = Webhook["events"][number]

const eventTexts: Readonly<Record<EventType, string>> = {
  "lead2.created": "A person became a lead",
  "activity.detected": "A person engaged"
}

/** In the order of the form. */
export const eventTypes = Object.keys(eventTexts) as ReadonlyArray<EventType>

type Ordering = Webhook["ordering"]
type Format = Webhook["format"]

const orderings = Object.keys(orderingTexts) as ReadonlyArray<Ordering>
const formats = Object.keys(formatTexts) as ReadonlyArray<Format>

/** Numbers are as they are typed, so that a field can be empty meanwhile. */
export interface WebhookValues {
  readonly url: string
  readonly description: string
  readonly events: ReadonlyArray<EventType>
  readonly ordering: Ordering
  /** Empty: as long as the retries last. */
  readonly maxDelay: string
  readonly format: Format
  readonly maxBatch: string
  readonly maxWait: string
}

/** What the form of a new webhook begins with: all events, one a post, in any order. */
export const newWebhook: WebhookValues = {
  url: "",
  description: "",
  events: eventTypes,
  ordering: "none",
  maxDelay: "",
  format: "envelope",
  maxBatch: "1",
  maxWait: "0"
}

/** The values of a webhook that is there. */
export const valuesOf = (webhook: Webhook): WebhookValues => ({
  url: webhook.url,
  description: webhook.description ?? "",
  events: webhook.events,
  ordering: webhook.ordering,
  maxDelay: webhook.maxDelay === null ? "" : String(webhook.maxDelay),
  format: webhook.format,
  maxBatch: String(webhook.maxBatch),
  maxWait: String(webhook.maxWait)
})

/** What the API takes. */
export const bodyOf = ({ description, events, maxBatch, maxDelay, maxWait, ...values }: WebhookValues) => ({
  ...values,
  events: [...events],
  description: description === "" ? null : description,
  maxDelay: maxDelay === "" ? null : Number(maxDelay),
  maxBatch: Number(maxBatch),
  maxWait: Number(maxWait)
})

interface WebhookFieldsProps {
  readonly values: WebhookValues
  readonly onChange: (values: WebhookValues) => void
}

/** Whether the webhook sends in another way than most do. */
const isAdvanced = ({ format, maxBatch, ordering }: WebhookValues): boolean =>
  ordering !== newWebhook.ordering || format !== newWebhook.format || maxBatch !== newWebhook.maxBatch

/**
 * Below "Advanced", opened at first for a webhook that uses it, are order, format and batches. The bounds are those of the API, which judges the URL
 * by itself.
 */
export const WebhookFields = ({ onChange, values }: WebhookFieldsProps) => {
  const [isOpenedFirst] = useState(() => isAdvanced(values))
  const { description, events, format, maxBatch, maxDelay, maxWait, ordering, url } = values
  const toggle = (event: EventType, isChosen: boolean) =>
    onChange({
      ...values,
      events: eventTypes.filter((each) => (each === event ? isChosen : events.includes(each)))
    })
  return (
    <>
      <TextField
        label="URL"
        hint="Public and https, unless the server allows its network."
        type="url"
        required
        autoFocus
        placeholder="https://example.com/hooks/leads"
        value={url}
        onChange={(change) => onChange({ ...values, url: change.target.value })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Events</legend>
        {eventTypes.map((event) => (
          <label key={event} className="touch:min-h-11 flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="accent-accent size-4 shrink-0"
              checked={events.includes(event)}
              onChange={(change) => toggle(event, change.target.checked)}
            />
            <span>
              <code className="font-mono text-xs">{event}</code>{" "}
              <span className="text-muted">{eventTexts[event]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <TextField
        label="Description"
        hint="What the webhook is for, in your words."
        maxLength={256}
        placeholder="To the CRM"
        value={description}
        onChange={(change) => onChange({ ...values, description: change.target.value })}
      />
      <details open={isOpenedFirst} className="border-line border-t">
        <summary className="text-accent touch:min-h-11 touch:py-2.5 cursor-pointer py-2 text-sm font-medium">
          Advanced: order, format and batches
        </summary>
        <div className="flex flex-col gap-4 pt-1">
          <SelectField
            label="Order"
            hint={
              ordering === "lead"
                ? "Counts for events from now on."
                : "Events that wait for others of their lead go out at once."
            }
            value={ordering}
            onChange={(change) => onChange({ ...values, ordering: change.target.value as Ordering })}
          >
            {orderings.map((each) => (
              <option key={each} value={each}>
                {orderingTexts[each]}
              </option>
            ))}
          </SelectField>
          {ordering === "lead" ? (
            <TextField
              label="Hold a lead back at most, seconds"
              hint="An event that still fails then is given up, and the next one goes out. Empty: as long as it is retried, by default about three days."
              type="number"
              min={1}
              max={2_592_000}
              placeholder="3600"
              value={maxDelay}
              onChange={(change) => onChange({ ...values, maxDelay: change.target.value })}
            />
          ) : null}
          <SelectField
            label="Format"
            value={format}
            onChange={(change) => onChange({ ...values, format: change.target.value as Format })}
          >
            {formats.map((each) => (
              <option key={each} value={each}>
                {formatTexts[each]}
              </option>
            ))}
          </SelectField>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Events in a post"
              hint="At most 100. Above 1 every body is an array."
              type="number"
              required
              min={1}
              max={100}
              value={maxBatch}
              onChange={(change) => onChange({ ...values, maxBatch: change.target.value })}
            />
            <TextField
              label="Wait for others, seconds"
              hint="How long an event waits until its post is full."
              type="number"
              required
              min={0}
              max={300}
              disabled={Number(maxBatch) <= 1}
              value={maxWait}
              onChange={(change) => onChange({ ...values, maxWait: change.target.value })}
            />
          </div>
        </div>
      </details>
    </>
  )
}
