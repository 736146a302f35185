/** A page of leads. The name of each is a link that opens it; `j` and `k` move between them. */
import { Link } from "@tanstack/react-router"
import type { Lead } from "../api/client.ts"
import { Icon } from "../ui/Icon.tsx"
import { type ColumnId, type LeadColumn, leadColumns, type RowContext } from "./columns.tsx"
import { defaultSort, type LeadSearch, withChange } from "./leadSearch.ts"

/** Properties of the table, and of the cards that phones have instead. */
export interface LeadListProps {
  readonly brandId: string
  readonly leads: ReadonlyArray<Lead>
  readonly search: LeadSearch
  readonly signalNames: RowContext["signalNames"]
  readonly visibleColumns: ReadonlySet<ColumnId>
  /** The leads are those of the query before, while the next is under way. */
  readonly isStale: boolean
}

const ariaSorts = { asc: "ascending", desc: "descending" } as const

/**
 * From 640 px. Columns keep their widths and the table scrolls sideways where they do not fit; the headline, or else the name, takes the room that
 * is left.
 */
export const LeadTable = ({
  brandId,
  isStale,
  leads,
  search,
  visibleColumns,
  signalNames
}: LeadListProps) => {
  const columns = leadColumns.filter(({ id }) => visibleColumns.has(id))
  const context: RowContext = {
    signalNames,
    search: search.search,
    hasHeadline: visibleColumns.has("headline")
  }
  // One column takes what is left.
  const widest: ColumnId = context.hasHeadline ? "headline" : "name"
  const minWidth = columns.reduce((sum, { width }) => sum + width, 0)
  const [sorted, direction] = (search.sort ?? defaultSort).split(":") as [string, "asc" | "desc"]
  return (
    <table
      className={`w-full table-fixed border-separate border-spacing-0 text-sm ${isStale ? "opacity-60" : ""}`}
      style={{ minWidth }}
    >
      <colgroup>
        {columns.map(({ id, width }) => (
          <col key={id} style={id === widest ? {} : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(({ className = "", id, sorts, title }: LeadColumn) => {
            const isSorted = id === sorted
            const next = isSorted ? (direction === "asc" ? "desc" : "asc") : sorts
            return (
              <th
                key={id}
                scope="col"
                aria-sort={isSorted ? ariaSorts[direction] : undefined}
                className={`border-line bg-surface text-muted sticky top-0 z-10 border-b px-2 py-1.5 text-left text-xs font-medium first:pl-4 last:pr-4 ${className}`}
              >
                {sorts === null ? (
                  title
                ) : (
                  <Link
                    to="/brands/$brandId/leads"
                    params={{ brandId }}
                    search={withChange(search, { sort: `${id}:${next}` })}
                    className={`hover:text-ink inline-flex items-center gap-0.5 ${isSorted ? "text-ink" : ""}`}
                  >
                    {title}
                    {isSorted ? <Icon name={direction === "asc" ? "up" : "down"} className="size-3" /> : null}
                  </Link>
                )}
              </th>
            )
          })}
        </tr>
      </thead>
      <tbody>
        {leads.map((lead) => {
          const leadId = String(lead.id)
          const isOpen = search.lead === leadId
          return (
            <tr
              key={leadId}
              data-row={leadId}
              className={`group relative ${isOpen ? "bg-accent-soft" : "hover:bg-sunken"}`}
            >
              {columns.map(({ cell, className = "", id }: LeadColumn) => (
                <td
                  key={id}
                  className={`border-line h-11 truncate border-b px-2 group-last:border-b-0 first:pl-4 last:pr-4 md:h-10 ${className}`}
                >
                  {id === "name" ? (
                    <Link
                      to="/brands/$brandId/leads"
                      params={{ brandId }}
                      search={{ ...search, lead: leadId }}
                      data-lead={leadId}
                      aria-current={isOpen ? "true" : undefined}
                      className="block outline-offset-4 after:absolute after:inset-0"
                    >
                      {cell(lead, context)}
                    </Link>
                  ) : (
                    cell(lead, context)
                  )}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
