/** Rejected lines as a table, each to mend and to send again. Only those in sight are in the page. */
import { useVirtualizer } from "@tanstack/react-virtual"
import { useRef, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { saveText } from "../ui/saveFile.ts"
import type { Line, RejectedLine } from "./sendObservations.ts"

const rowHeight = 68

interface RejectedLinesProps {
  readonly lines: ReadonlyArray<RejectedLine>
  readonly count: number
  readonly isRunning: boolean
  readonly onSend: (lines: ReadonlyArray<Line>) => void
}

export const RejectedLines = ({ count, isRunning, lines, onSend }: RejectedLinesProps) => {
  // By the number of the line.
  const [mended, setMended] = useState<ReadonlyMap<number, string>>(new Map())
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8
  })
  const textOf = ({ number, text }: Line): string => mended.get(number) ?? text
  const send = () => onSend(lines.map((line) => ({ number: line.number, text: textOf(line) })))
  const save = () =>
    saveText("rejected.jsonl", "application/x-ndjson", lines.map((line) => `${textOf(line)}\n`).join(""))
  return (
    <section aria-labelledby="rejected" className="card">
      <div className="border-line flex flex-wrap items-center gap-2 border-b px-4 py-2.5">
        <h2 id="rejected" className="grow text-sm font-semibold">
          {count.toLocaleString("en")} rejected
          {count > lines.length ? `, of which the first ${lines.length.toLocaleString("en")} are here` : ""}
        </h2>
        <Button icon="download" onClick={save}>
          Save as JSONL
        </Button>
        <Button look="primary" icon="send" disabled={isRunning} onClick={send}>
          Send again
        </Button>
      </div>
      <div
        ref={frame}
        className="max-h-[26rem] overflow-auto"
        tabIndex={0}
        role="group"
        aria-label="Rejected lines"
      >
        <ol className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]!
            return (
              <li
                key={line.number}
                className="border-line absolute inset-x-0 flex flex-col gap-1 border-b px-4 py-2"
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              >
                <p className="truncate text-xs">
                  <span className="text-muted tabular-nums">Line {line.number}</span>{" "}
                  <span className="text-danger" title={line.message}>
                    {line.message}
                  </span>
                </p>
                <input
                  aria-label={`Line ${line.number}`}
                  className="field h-7 w-full font-mono text-xs"
                  spellCheck={false}
                  value={textOf(line)}
                  onChange={(event) => setMended(new Map(mended).set(line.number, event.target.value))}
                />
              </li>
            )
          })}
        </ol>
      </div>
    </section>
  )
}
