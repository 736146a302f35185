/** A page of leads on a phone: a card each, which opens its lead. Keys and choices of columns work as in the table. */
import { Link } from "@tanstack/react-router"
import { type ColumnId, type LeadColumn, leadColumns, type RowContext } from "./columns.tsx"
import type { LeadListProps } from "./LeadTable.tsx"
import { Avatar } from "./Person.tsx"
import { Marked } from "../ui/Marked.tsx"
import { Name } from "../ui/Name.tsx"

/** What stands below the name and the headline, with a word before it where the value alone says too little. */
const words: Readonly<Partial<Record<ColumnId, string>>> = {
  score1: "Score",
  createdAt: "Created",
  updatedAt: "Updated"
}

/** In place of `LeadTable` where the window is narrower than 640 px. A card leaves out facts that the lead does not have. */
export const LeadCards = ({
  brandId,
  isStale,
  leads,
  search,
  visibleColumns,
  signalNames
}: LeadListProps) => {
  const columns: ReadonlyArray<LeadColumn> = leadColumns.filter(
    ({ id }) => visibleColumns.has(id) && id !== "name" && id !== "headline"
  )
  const context: RowContext = { signalNames, search: search.search, hasHeadline: true }
  return (
    <ul aria-label="Leads" className={`text-sm ${isStale ? "opacity-60" : ""}`}>
      {leads.map((lead) => {
        const leadId = String(lead.id)
        const isOpen = search.lead === leadId
        const facts = columns.filter(({ isEmpty }) => isEmpty?.(lead) !== true)
        return (
          <li
            key={leadId}
            data-row={leadId}
            className={`border-line relative flex gap-3 border-b px-4 py-3 ${isOpen ? "bg-accent-soft" : "active:bg-sunken"}`}
          >
            <Avatar name={lead.name} className="size-9 text-xs" />
            <div className="flex min-w-0 grow flex-col gap-1">
              <Link
                to="/brands/$brandId/leads"
                params={{ brandId }}
                search={{ ...search, lead: leadId }}
                data-lead={leadId}
                aria-current={isOpen ? "true" : undefined}
                className="font-semibold outline-offset-4 after:absolute after:inset-0"
              >
                <Name text={lead.name} wanted={search.search} className="line-clamp-2 wrap-anywhere" />
              </Link>
              {lead.headline === null || !visibleColumns.has("headline") ? null : (
                <bdi className="text-muted line-clamp-2 wrap-anywhere">
                  <Marked text={lead.headline} wanted={search.search} />
                </bdi>
              )}
              {facts.length === 0 ? null : (
                <div className="text-muted flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
                  {facts.map(({ cell, id }) => (
                    <span key={id} className="max-w-full truncate">
                      {words[id] === undefined ? null : `${words[id]} `}
                      {cell(lead, context)}
                    </span>
                  ))}
                </div>
              )}
            </div>
          </li>
        )
      })}
    </ul>
  )
}
