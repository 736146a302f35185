/** A run while it is played back: lanes, events, coverage marks, and the keys that move through it. */
import type { ReactNode } from "react"
import { useKeys } from "../shell/shortcuts.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { Coverage } from "./Coverage.tsx"
import { exactClockText } from "./describe.ts"
import { History } from "./History.tsx"
import { Lanes } from "./Lanes.tsx"
import { Legend } from "./Marks.tsx"
import type { Run } from "./Simulation.ts"
import { speeds, usePlayback } from "./usePlayback.ts"
import { Select } from "../ui/Select.tsx"

interface PlayerProps {
  readonly run: Run
  readonly onStop: () => void
  /** How the run ended, below the lanes. */
  readonly children: ReactNode
}

/** Space, `.` and `,` work while it is on the page. `children` stand between the lanes and the list of events. */
export const Player = ({ children, onStop, run }: PlayerProps) => {
  const { drawing, finished, of, phase } = run
  const isRunning = phase === "running"
  const playback = usePlayback(drawing, !isRunning)
  const { count, isPlaying, seek, setSpeed, speed, step, toggle } = playback
  const { events } = drawing
  useKeys((key, event) => {
    const isOnControl =
      event.target instanceof HTMLElement && event.target.closest("button, a, summary") !== null
    if (key === " " && !isOnControl) {
      event.preventDefault()
      toggle()
    } else if (key === ".") step(1)
    else if (key === ",") step(-1)
  })
  const at = events[count - 1]?.at ?? 0
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <div className="min-w-40 grow">
          <h2 className="text-sm font-semibold wrap-anywhere">{of.title}</h2>
          <p className="text-muted text-xs" data-clock="">
            <span className="font-mono tabular-nums">{exactClockText(at)}</span> of virtual time
            {isRunning ? ", running …" : phase === "stopped" ? ", stopped" : ""}
          </p>
        </div>
        <Button icon={isPlaying ? "pause" : "play"} onClick={toggle}>
          {isPlaying ? "Pause" : "Play"}
        </Button>
        <IconButton
          icon="stepBack"
          label="One step back (,)"
          onClick={() => step(-1)}
          disabled={count <= 1}
        />
        <IconButton
          icon="step"
          label="One step on (.)"
          onClick={() => step(1)}
          disabled={count >= events.length}
        />
        <label className="flex items-center gap-2 text-sm">
          Speed
          <Select value={String(speed)} onChange={(event) => setSpeed(Number(event.target.value))}>
            {speeds.map((each) => (
              <option key={each} value={String(each)}>
                {each === Infinity ? "as it runs" : `${each} ×`}
              </option>
            ))}
          </Select>
        </label>
        {isRunning ? <Button onClick={onStop}>Stop the run</Button> : null}
        <input
          type="range"
          aria-label="Place in the run"
          aria-valuetext={exactClockText(at)}
          min={0}
          max={events.length}
          value={count}
          onChange={(event) => seek(Number(event.target.value))}
          className="accent-accent basis-full"
        />
      </div>
      <Lanes drawing={drawing} playback={playback} />
      <Legend />
      {children}
      <div className="border-line border-t">
        <History drawing={drawing} playback={playback} />
      </div>
      <Coverage run={run} count={finished !== null && count >= events.length ? Infinity : count} />
    </>
  )
}
