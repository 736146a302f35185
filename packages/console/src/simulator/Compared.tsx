/** What a rule expected beside what came, a line each; equal lines far from a difference are left out. */
import type { BrokenRule } from "@lead-signals/simulations/browser"

type Row = NonNullable<BrokenRule["compared"]>[number]

/** Equal lines that are shown before and after a difference. */
const contextLines = 2

/** A number stands for so many equal rows. */
const folded = (rows: ReadonlyArray<Row>): ReadonlyArray<Row | number> => {
  const parts: Array<Row | number> = []
  rows.forEach((row, i) => {
    const near = rows.slice(Math.max(0, i - contextLines), i + contextLines + 1)
    if (near.some(({ isEqual }) => !isEqual)) parts.push(row)
    else {
      const last = parts.at(-1)
      if (typeof last === "number") parts[parts.length - 1] = last + 1
      else parts.push(1)
    }
  })
  return parts
}

const Cell = ({ other, text }: { readonly text: string | null; readonly other: string | null }) => (
  <td className="w-1/2 px-2 align-top break-all whitespace-pre-wrap">
    {text === null ? (
      <span className="text-muted">(no such line)</span>
    ) : text === other ? (
      text
    ) : (
      <mark className="bg-danger-soft text-danger">{text}</mark>
    )}
  </td>
)

/** Two equal lines stay around each difference; longer runs of equal lines become their number. It scrolls sideways on a phone. */
export const Compared = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => (
  <div className="overflow-x-auto" role="region" aria-label="Expected beside got" tabIndex={0}>
    <table className="w-full min-w-96 table-fixed font-mono text-xs">
      <thead>
        <tr className="text-muted text-left font-sans">
          <th scope="col" className="px-2 font-medium">
            Expected
          </th>
          <th scope="col" className="px-2 font-medium">
            Got
          </th>
        </tr>
      </thead>
      <tbody>
        {folded(rows).map((row, i) =>
          typeof row === "number" ? (
            <tr key={i}>
              <td colSpan={2} className="text-muted bg-sunken px-2 font-sans">
                {row === 1 ? "1 equal line" : `${row} equal lines`}
              </td>
            </tr>
          ) : (
            <tr key={i}>
              <Cell text={row.expected} other={row.actual} />
              <Cell text={row.actual} other={row.expected} />
            </tr>
          )
        )}
      </tbody>
    </table>
  </div>
)
