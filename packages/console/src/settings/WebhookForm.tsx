/** The fields of a webhook: of a new one, and of a change. */
import { useId } from "react"
import type { Webhook } from "../api/client.ts"
import { TextField } from "../ui/Field.tsx"

export type EventType = Webhook["events"][number]

const eventTexts: Readonly<Record<EventType, string>> = {
  "lead2.created": "A person became a lead",
  "activity.detected": "A person engaged"
}

export const eventTypes = Object.keys(eventTexts) as ReadonlyArray<EventType>

export interface WebhookValues {
  readonly url: string
  readonly description: string
  readonly events: ReadonlyArray<EventType>
}

interface WebhookFieldsProps {
  readonly values: WebhookValues
  readonly onChange: (values: WebhookValues) => void
}

export const WebhookFields = ({ onChange, values }: WebhookFieldsProps) => {
  const id = useId()
  const { description, events, url } = values
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
    </>
  )
}
