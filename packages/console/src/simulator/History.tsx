/** What happened, with the virtual time: the newest first, as far as the playback has come. */
import { useId, useState } from "react"
import { eventText, exactClockText, isProblem } from "./describe.ts"
import type { Drawing, Drawn } from "./drawing.ts"
import type { Playback } from "./usePlayback.ts"

const maxVisible = 120

const lastMatches = (
  events: ReadonlyArray<Drawn>,
  count: number,
  wanted: string
): ReadonlyArray<readonly [Drawn, string]> => {
  const found: Array<readonly [Drawn, string]> = []
  for (let i = count - 1; i >= 0 && found.length < maxVisible; i--) {
    const event = events[i]!
    const text = eventText(event)
    if (`${event.lane} ${text}`.toLowerCase().includes(wanted)) found.push([event, text])
  }
  return found
}

/** At most the newest 120 events with the text that is searched. Pressing one moves the playback there. */
export const History = ({
  drawing: { events },
  playback: { count, seek }
}: {
  readonly drawing: Drawing
  readonly playback: Playback
}) => {
  const [wanted, setWanted] = useState("")
  const id = useId()
  const visible = lastMatches(events, count, wanted.trim().toLowerCase())
  return (
    <section aria-label="Events" className="flex min-w-0 flex-col">
      <div className="flex flex-wrap items-center gap-3 px-4 py-2">
        <h2 className="grow text-sm font-semibold">
          {count.toLocaleString("en")} {count === 1 ? "event" : "events"}
        </h2>
        <label htmlFor={id} className="sr-only">
          Show events with this text
        </label>
        <input
          id={id}
          data-search
          type="search"
          placeholder="Show events with …"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          className="field w-48"
        />
      </div>
      {visible.length === 0 ? (
        <p className="text-muted px-4 pb-4 text-sm">
          {wanted === "" ? "Nothing has happened yet." : "No event so far has this text."}
        </p>
      ) : (
        <ol aria-label="What happened" tabIndex={0} className="max-h-80 overflow-y-auto pb-2 text-xs">
          {visible.map(([event, text]) => (
            <li key={event.n}>
              <button
                type="button"
                title="Show the lanes as they were then"
                onClick={() => seek(event.n + 1)}
                className="hover:bg-sunken flex w-full flex-wrap gap-x-3 px-4 py-0.5 text-left sm:flex-nowrap"
              >
                <span className="text-muted shrink-0 font-mono tabular-nums">{exactClockText(event.at)}</span>
                <span className="grow truncate font-medium sm:w-28 sm:shrink-0 sm:grow-0">{event.lane}</span>
                <span
                  className={`min-w-0 basis-full wrap-anywhere sm:basis-auto ${isProblem(event) ? "text-danger" : ""}`}
                >
                  {text}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
