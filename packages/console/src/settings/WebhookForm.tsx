/** The fields of a webhook: of a new one, and of a change. */
import { useId } from "react"
import type { Webhook } from "../api/client.ts"
import { SelectField, TextField } from "../ui/Field.tsx"

export type EventType = Webhook["events"][number]

const eventTexts: Readonly<Record<EventType, string>> = {
  "lead2.created": "A person became a lead",
  "activity.detected": "A person engaged"
}

export const eventTypes = Object.keys(eventTexts) as ReadonlyArray<EventType>

type Format = Webhook["format"]

const formatTexts: Readonly<Record<Format, string>> = {
  envelope: "Envelope of version 1",
  cloudevents: "CloudEvents 1.0"
}

const formats = Object.keys(formatTexts) as ReadonlyArray<Format>

export interface WebhookValues {
  readonly url: string
  readonly description: string
  readonly events: ReadonlyArray<EventType>
  readonly format: Format
  /** As it is typed, so that a field can be empty meanwhile. */
  readonly maxBatch: string
  readonly maxWait: string
}

export const newWebhook: WebhookValues = {
  url: "",
  description: "",
  events: eventTypes,
  format: "envelope",
  maxBatch: "1",
  maxWait: "0"
}

interface WebhookFieldsProps {
  readonly values: WebhookValues
  readonly onChange: (values: WebhookValues) => void
}

export const WebhookFields = ({ onChange, values }: WebhookFieldsProps) => {
  const id = useId()
  const { description, events, format, maxBatch, maxWait, url } = values
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
          <span key={event} className="flex items-center gap-2 text-sm">
            <input
              id={`${id}-${event}`}
              type="checkbox"
              className="accent-accent size-4"
              checked={events.includes(event)}
              onChange={(change) => toggle(event, change.target.checked)}
            />
            <label htmlFor={`${id}-${event}`}>
              <code className="font-mono text-xs">{event}</code>{" "}
              <span className="text-muted">{eventTexts[event]}</span>
            </label>
          </span>
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
    </>
  )
}
