/** Rejected lines as a table with the columns of the file, each cell to mend, and to send again. Only rows in sight are in the page. */
import { useVirtualizer } from "@tanstack/react-virtual"
import { useRef, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { saveText } from "../ui/saveFile.ts"
import { csvLine } from "./csv.ts"
import { fields } from "./fields.ts"
import type { RejectedLine } from "./sendObservations.ts"
import type { ImportPlan } from "./useImport.ts"

const rowHeight = 52

/** Cells that were mended, by the number of their line. */
type Mended = ReadonlyMap<number, ReadonlyArray<string>>

interface RejectedLinesProps {
  readonly plan: ImportPlan
  readonly lines: ReadonlyArray<RejectedLine>
  readonly count: number
  readonly isRunning: boolean
  readonly onSend: (mended: Mended) => void
}

/** A column of the table: a cell of each line. */
interface Column {
  readonly at: number
  readonly title: string
  /** The path of the field of an observation; null for a whole line. */
  readonly path: string | null
}

const columnsOf = ({ mapping, preview }: ImportPlan): ReadonlyArray<Column> =>
  preview.kind === "jsonl"
    ? [{ at: 0, title: "Observation", path: null }]
    : preview.columns.flatMap((title, at) => {
        const path = mapping[at] ?? ""
        return path === "" ? [] : [{ at, title, path }]
      })

/** Whether the reason names the field: it begins with its path. */
const isAbout = (message: string, path: string | null): boolean =>
  path !== null && new RegExp(`^${path.replaceAll(".", String.raw`\.`)}\\b`).test(message)

const textsOf = new Map(fields.map(({ path, text }) => [path, text]))

const headClass =
  "border-line bg-surface text-muted sticky top-0 z-10 border-b px-2 py-1.5 text-left text-xs font-medium first:pl-4"
const cellClass = "border-line border-b px-2 first:pl-4"

/** Shown while lines are rejected: at most 10,000 of them are kept, all are counted. What is mended stays through a failed sending. */
export const RejectedLines = ({ count, isRunning, lines, onSend, plan }: RejectedLinesProps) => {
  const [mended, setMended] = useState<Mended>(new Map())
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8
  })
  const columns = columnsOf(plan)
  const cellsOf = ({ cells, number }: RejectedLine) => mended.get(number) ?? cells
  const mend = (line: RejectedLine, at: number, text: string) =>
    setMended(
      new Map(mended).set(
        line.number,
        Array.from({ length: Math.max(cellsOf(line).length, at + 1) }, (_, i) =>
          i === at ? text : (cellsOf(line)[i] ?? "")
        )
      )
    )
  const save = () =>
    plan.preview.kind === "csv"
      ? saveText(
          "rejected.csv",
          "text/csv",
          [plan.preview.columns, ...lines.map(cellsOf)]
            .map((cells) => csvLine(cells, plan.preview.separator))
            .join("")
        )
      : saveText(
          "rejected.jsonl",
          "application/x-ndjson",
          lines.map((line) => `${cellsOf(line)[0]}\n`).join("")
        )
  const drawn = rows.getVirtualItems()
  const before = drawn[0]?.start ?? 0
  const after = rows.getTotalSize() - (drawn.at(-1)?.end ?? 0)
  return (
    <section aria-labelledby="rejected" className="card">
      <div className="border-line flex flex-wrap items-center gap-2 border-b px-4 py-2.5">
        <div className="grow">
          <h2 id="rejected" className="text-sm font-semibold">
            {count.toLocaleString("en")} rejected
          </h2>
          {count > lines.length ? (
            <p className="text-muted text-xs">
              The first {lines.length.toLocaleString("en")} are here. The other{" "}
              {(count - lines.length).toLocaleString("en")} are not kept: mend them in the file, and import it
              again; what is there already stays as it is.
            </p>
          ) : null}
        </div>
        {lines.length === 0 ? null : (
          <>
            <Button icon="download" onClick={save}>
              Save as {plan.preview.kind === "csv" ? "CSV" : "JSONL"}
            </Button>
            <Button look="primary" icon="send" disabled={isRunning} onClick={() => onSend(mended)}>
              Send again
            </Button>
          </>
        )}
      </div>
      {lines.length === 0 ? null : (
        <div
          ref={frame}
          className="max-h-[26rem] overflow-auto"
          tabIndex={0}
          role="group"
          aria-label="Rejected lines"
        >
          <table
            aria-label="Rejected lines"
            aria-rowcount={lines.length + 1}
            className="w-full border-separate border-spacing-0 text-sm"
          >
            <thead>
              <tr>
                <th scope="col" className={headClass}>
                  Line
                </th>
                <th scope="col" className={headClass}>
                  Why
                </th>
                {columns.map(({ at, path, title }) => (
                  <th key={at} scope="col" className={headClass} title={textsOf.get(path ?? "")}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {before > 0 ? <tr aria-hidden="true" style={{ height: before }} /> : null}
              {drawn.map(({ index }) => {
                const line = lines[index]!
                return (
                  <tr key={line.number} aria-rowindex={index + 2} style={{ height: rowHeight }}>
                    <td className={`${cellClass} text-muted tabular-nums`}>{line.number}</td>
                    <td className={`${cellClass} text-danger text-xs`}>
                      <span className="line-clamp-2 w-56 wrap-anywhere" title={line.message}>
                        {line.message}
                      </span>
                    </td>
                    {columns.map(({ at, path, title }) => (
                      <td key={at} className={cellClass}>
                        <input
                          aria-label={`${title} of line ${line.number}`}
                          aria-invalid={isAbout(line.message, path)}
                          className={`field aria-invalid:border-danger aria-invalid:bg-danger-soft w-full ${path === null ? "min-w-[44rem] font-mono text-xs" : "min-w-36"}`}
                          spellCheck={false}
                          value={cellsOf(line)[at] ?? ""}
                          onChange={(event) => mend(line, at, event.target.value)}
                        />
                      </td>
                    ))}
                  </tr>
                )
              })}
              {after > 0 ? <tr aria-hidden="true" style={{ height: after }} /> : null}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
