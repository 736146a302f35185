/** A page of leads. The name of each is a link that opens it; `j` and `k` move between them. */
import { Link } from "@tanstack/react-router"
import type { Lead } from "../api/client.ts"
import { Icon } from "../ui/Icon.tsx"
import { type ColumnId, leadColumns, type SignalNames } from "./columns.tsx"
import { defaultSort, type LeadSearch, withChange } from "./leadSearch.ts"

interface LeadTableProps {
  readonly brandId: string
  readonly leads: ReadonlyArray<Lead>
  readonly search: LeadSearch
  readonly signalNames: SignalNames
  readonly hiddenColumns: ReadonlySet<ColumnId>
  /** The leads are those of the query before, while the next is under way. */
  readonly isStale: boolean
}

const ariaSorts = { asc: "ascending", desc: "descending" } as const

export const LeadTable = ({
  brandId,
  hiddenColumns,
  isStale,
  leads,
  search,
  signalNames
}: LeadTableProps) => {
  const columns = leadColumns.filter(({ id }) => !hiddenColumns.has(id))
  const [sorted, direction] = (search.sort ?? defaultSort).split(":") as [string, "asc" | "desc"]
  return (
    <table
      className={`w-full table-fixed border-separate border-spacing-0 text-sm ${isStale ? "opacity-60" : ""}`}
    >
      <thead>
        <tr>
          {columns.map(({ className, id, sorts, title }) => {
            const isSorted = id === sorted
            const next = isSorted ? (direction === "asc" ? "desc" : "asc") : sorts
            return (
              <th
                key={id}
                scope="col"
                aria-sort={isSorted ? ariaSorts[direction] : undefined}
                className={`border-line bg-canvas text-muted sticky top-0 z-10 border-b px-2 py-1.5 text-left text-xs font-medium first:pl-4 last:pr-4 md:first:pl-6 ${className}`}
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
            <tr key={leadId} className={`group relative ${isOpen ? "bg-accent-soft" : "hover:bg-sunken"}`}>
              {columns.map(({ cell, className, id }) => (
                <td
                  key={id}
                  className={`border-line h-11 truncate border-b px-2 first:pl-4 last:pr-4 md:h-10 md:first:pl-6 ${className}`}
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
                      {cell(lead)}
                    </Link>
                  ) : (
                    cell(lead, signalNames)
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
