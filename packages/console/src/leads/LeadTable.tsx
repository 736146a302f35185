/** A page of leads. The name of each is a link that opens it; `j` and `k` move between them. */
import { Link } from "@tanstack/react-router"
import { type ColumnVisibilityState, useTable } from "@tanstack/react-table"
import { useMemo } from "react"
import type { Lead } from "../api/client.ts"
import { Icon } from "../ui/Icon.tsx"
import { columnClass, columnsOf, features, sortOfColumn } from "./columns.tsx"
import { defaultSort, type LeadSearch, withChange } from "./leadSearch.ts"

interface LeadTableProps {
  readonly brandId: string
  readonly leads: ReadonlyArray<Lead>
  readonly search: LeadSearch
  readonly signalNames: ReadonlyMap<string, string>
  readonly columnVisibility: ColumnVisibilityState
  /** The leads are those of the query before, while the next is under way. */
  readonly isStale: boolean
}

const ariaSorts = { asc: "ascending", desc: "descending" } as const

export const LeadTable = ({
  brandId,
  columnVisibility,
  isStale,
  leads,
  search,
  signalNames
}: LeadTableProps) => {
  const columns = useMemo(() => columnsOf(signalNames), [signalNames])
  const data = useMemo(() => [...leads], [leads])
  const table = useTable({
    features,
    columns,
    data,
    getRowId: ({ id }) => String(id),
    state: { columnVisibility }
  })
  const [sorted, direction] = (search.sort ?? defaultSort).split(":") as [string, "asc" | "desc"]
  return (
    <table
      className={`w-full table-fixed border-separate border-spacing-0 text-sm ${isStale ? "opacity-60" : ""}`}
    >
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => {
              const { id } = header.column
              const first = sortOfColumn[id]
              const isSorted = id === sorted
              const next = isSorted ? (direction === "asc" ? "desc" : "asc") : first
              return (
                <th
                  key={header.id}
                  scope="col"
                  aria-sort={isSorted ? ariaSorts[direction] : undefined}
                  className={`border-line bg-canvas text-muted sticky top-0 z-10 border-b px-2 py-1.5 text-left text-xs font-medium first:pl-4 last:pr-4 md:first:pl-6 ${columnClass[id] ?? ""}`}
                >
                  {first === undefined ? (
                    <table.FlexRender header={header} />
                  ) : (
                    <Link
                      to="/brands/$brandId/leads"
                      params={{ brandId }}
                      search={withChange(search, { sort: `${id}:${next}` })}
                      className={`hover:text-ink inline-flex items-center gap-0.5 ${isSorted ? "text-ink" : ""}`}
                    >
                      <table.FlexRender header={header} />
                      {isSorted ? (
                        <Icon name={direction === "asc" ? "up" : "down"} className="size-3" />
                      ) : null}
                    </Link>
                  )}
                </th>
              )
            })}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => {
          const isOpen = search.lead === row.id
          return (
            <tr key={row.id} className={`group relative ${isOpen ? "bg-accent-soft" : "hover:bg-sunken"}`}>
              {row.getVisibleCells().map((cell) => {
                const { id } = cell.column
                const content = <table.FlexRender cell={cell} />
                return (
                  <td
                    key={cell.id}
                    className={`border-line h-11 truncate border-b px-2 first:pl-4 last:pr-4 md:h-10 md:first:pl-6 ${columnClass[id] ?? ""}`}
                  >
                    {id === "name" ? (
                      <Link
                        to="/brands/$brandId/leads"
                        params={{ brandId }}
                        search={{ ...search, lead: row.id }}
                        data-lead={row.id}
                        aria-current={isOpen ? "true" : undefined}
                        className="block outline-offset-4 after:absolute after:inset-0"
                      >
                        {content}
                      </Link>
                    ) : (
                      content
                    )}
                  </td>
                )
              })}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
