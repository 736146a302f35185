/** The list of leads, with one of them beside it. Its whole state is in the URL. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo, useRef } from "react"
import { leadsQuery, signalsQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { useSession } from "../session/session.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { focusedRow, moveRow, useFocusOnNewPage } from "../shell/rows.ts"
import { useKeys } from "../shell/shortcuts.ts"
import { useLookedAt } from "../shell/useLookedAt.ts"
import { Button } from "../ui/Button.tsx"
import { Empty, Failure, Loading, Waiting } from "../ui/States.tsx"
import { useMedia } from "../ui/useMedia.ts"
import { ColumnsMenu, useColumns } from "./ColumnsMenu.tsx"
import { ExportMenu } from "./ExportMenu.tsx"
import { LeadCards } from "./LeadCards.tsx"
import { LeadFilters } from "./LeadFilters.tsx"
import { LeadPanel } from "./LeadPanel.tsx"
import { filterNames, filterOf, type LeadSearch, queryOf, withChange } from "./leadSearch.ts"
import { LeadTable } from "./LeadTable.tsx"
import { NoLeads } from "./NoLeads.tsx"
import { Pagination } from "./Pagination.tsx"

const from = "/brands/$brandId/leads"

const rowOf = (lead: string | undefined): HTMLElement | null =>
  lead === undefined ? null : document.querySelector(`[data-row="${CSS.escape(lead)}"]`)

/** Moves between the rows of the list; an open lead follows. */
const useListKeys = (openLead: string | undefined, open: (id: string | undefined) => void): void =>
  useKeys((key, event) => {
    if (key === "Escape" && openLead !== undefined) {
      open(undefined)
      rowOf(openLead)?.querySelector("a")?.focus()
    }
    if (key !== "j" && key !== "k") return
    event.preventDefault()
    const row = moveRow(key, focusedRow() ?? rowOf(openLead))
    if (row !== null && openLead !== undefined) open(row.dataset["row"])
  })

/** A failed read keeps the rows before it, dimmed, with a way to try again. No lead, no match and a page past the end have texts of their own. */
export const LeadsPage = () => {
  const { brandId } = useParams({ from })
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const { access } = useSession()
  const place = useRef<HTMLDivElement>(null)
  const hasCards = useMedia("(width < 40rem)")
  const [visibleColumns, toggleColumn] = useColumns(place, hasCards)
  const lookedAt = useLookedAt(search)
  const query = useMemo(() => {
    const { lead: _, ...list } = search
    return queryOf(list, lookedAt)
  }, [search, lookedAt])
  const { data, error, failureReason, isPlaceholderData, refetch } = useQuery(
    leadsQuery(access, brandId, query)
  )
  const { data: signals } = useQuery({ ...signalsQuery(brandId), enabled: access === "operator" })
  const signalNames = useMemo(() => new Map(signals?.map(({ id, name }) => [id, name])), [signals])

  const show = (next: LeadSearch, replace = false) => void navigate({ to: from, search: next, replace })
  const open = (lead: string | undefined) => {
    const { lead: _, ...list } = search
    show(lead === undefined ? list : { ...list, lead }, true)
  }
  useListKeys(search.lead, open)
  useFocusOnNewPage(data, !isPlaceholderData, (row) => {
    if (search.lead !== undefined) open(row.dataset["row"])
  })

  const isFiltered = search.search !== undefined || filterNames.some((name) => search[name] !== undefined)
  const clear = () => show(search.sort === undefined ? {} : { sort: search.sort })
  const path = access === "operator" ? `/operator/brands/${brandId}/leads` : "/signals/leads"
  const calls = [{ does: "This page of leads", path, query: query as Record<string, string> }]

  const list = () => {
    if (error !== null && data === undefined)
      return (
        <div className="p-4 md:px-6">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )
    if (data === undefined) return <Loading lines={12} />
    if (data.meta.pagination.total === 0)
      return isFiltered ? (
        <Empty
          icon="search"
          title="No lead matches"
          action={<Button onClick={clear}>Clear all filters</Button>}
        >
          Search looks at names and headlines. Filters join with “and”.
        </Empty>
      ) : (
        <NoLeads brandId={brandId} />
      )
    if (data.data.length === 0)
      return (
        <Empty
          icon="leads"
          title="This page is past the end"
          action={<Button onClick={() => show(withChange(search, {}))}>First page</Button>}
        >
          The list has become shorter, or the link is older than the list.
        </Empty>
      )
    const LeadList = hasCards ? LeadCards : LeadTable
    return (
      <LeadList
        brandId={brandId}
        leads={data.data}
        search={search}
        signalNames={signalNames}
        visibleColumns={visibleColumns}
        isStale={isPlaceholderData}
      />
    )
  }

  return (
    <div className="flex min-h-0 grow">
      <div className="flex min-w-0 grow flex-col">
        <PageHeader
          title="Leads"
          actions={
            <>
              <CurlButton calls={calls} />
              <ColumnsMenu visible={visibleColumns} onToggle={toggleColumn} />
              <ExportMenu brandId={brandId} filter={() => filterOf(search)} />
            </>
          }
        />
        <LeadFilters
          brandId={brandId}
          search={search}
          onChange={(change, isTyping) => show(withChange(search, change), isTyping)}
        />
        {error !== null && data !== undefined ? (
          <div className="px-4 pb-3 md:px-6">
            <Failure error={error} onRetry={() => void refetch()} />
          </div>
        ) : null}
        {error === null && failureReason !== null && (data === undefined || isPlaceholderData) ? (
          <div className="px-4 pb-3 md:px-6">
            <Waiting reason={failureReason} />
          </div>
        ) : null}
        <div ref={place} className="flex min-h-0 grow flex-col sm:px-4 sm:pb-4 md:px-6">
          <div className="card flex min-h-0 flex-col max-sm:grow max-sm:rounded-none max-sm:border-x-0 max-sm:border-b-0">
            <div className="min-h-0 grow overflow-auto">{list()}</div>
            {data === undefined || data.meta.pagination.total === 0 ? null : (
              <Pagination
                {...data.meta.pagination}
                onPage={(page) => show({ ...search, page: String(page) })}
                onPageSize={(pageSize) => show(withChange(search, { pageSize }))}
              />
            )}
          </div>
        </div>
      </div>
      {search.lead === undefined ? null : (
        <LeadPanel key={search.lead} brandId={brandId} id={search.lead} onClose={() => open(undefined)} />
      )}
    </div>
  )
}
