/** A small table: rows of a list that fits a page. */
import type { ReactNode } from "react"

/** One column of a `DataTable`. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Widths, and from which width of the window the column is there. */
  readonly className?: string
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}

/** All rows are drawn; the caller shows something else where there is none, and puts the table where it can scroll sideways. */
export const DataTable = <Row,>({ columns, keyOf, label, rows }: DataTableProps<Row>) => (
  <table aria-label={label} className="w-full border-separate border-spacing-0 text-sm">
    <thead>
      <tr>
        {columns.map(({ className = "", title }) => (
          <th
            key={title}
            scope="col"
            className={`border-line text-muted border-b px-2 py-1.5 text-left text-xs font-medium first:pl-4 last:pr-4 ${className}`}
          >
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)} data-row={keyOf(row)} tabIndex={-1} className="group -outline-offset-2">
          {columns.map(({ cell, className = "", title }) => (
            <td
              key={title}
              className={`border-line h-11 border-b px-2 py-1.5 first:pl-4 last:pr-4 group-last:border-b-0 ${className}`}
            >
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
