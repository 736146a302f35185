/** Settings > Audit log: who did what, the newest first. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import type { AuditEntry } from "../api/client.ts"
import { auditQuery, brandsQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { useHasScope } from "../session/permissions.ts"
import { instantOf } from "../shell/localDays.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { exactTime } from "../ui/Time.tsx"
import { type AuditSearch, readAuditSearch } from "./auditSearch.ts"

const from = "/brands/$brandId/settings/audit"

const actorText = ({ id, name, type }: AuditEntry["actor"]): string => {
  if (type === "environment") return "The first token"
  if (type === "token") return name ?? `Token ${id}`
  return type === "key" ? `API key ${id}` : "Nobody known"
}

/** Texts for operations whose names say too little by themselves. */
const operationTexts: Readonly<Record<string, string>> = {
  operatorLeads: "List leads",
  operatorChanges: "Follow changed leads",
  listChanges: "Follow changed leads",
  liveEvents: "Follow live events",
  exportLead: "Export a lead's data"
}

/** `createKey` becomes `Create key`. */
const operationText = (operation: string): string => {
  const known = operationTexts[operation]
  if (known !== undefined) return known
  const words = operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words[0]!.toUpperCase() + words.slice(1)
}

const Outcome = ({ status }: { readonly status: number | null }) => {
  if (status === null) return <Badge tone="warn">Not known</Badge>
  return status < 400 ? <Badge tone="good">{status}</Badge> : <Badge tone="bad">{status}</Badge>
}

/** For the scope `admin`. Older entries come on demand; a failure then keeps those that are there. A phone leaves out the brand. */
export const AuditPage = () => {
  const { brandId } = useParams({ from })
  const search = useSearch({ from })
  const navigate = useNavigate()
  const { data: brands = [] } = useQuery({ ...brandsQuery, enabled: useHasScope("read") })
  const query = {
    ...(search.of === "brand" ? { brandId } : {}),
    ...(search.since === undefined ? {} : { since: instantOf(search.since, false) })
  }
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(
    auditQuery(query)
  )
  const entries = data?.pages.flatMap((page) => page.data)
  const choose = (change: AuditSearch) =>
    void navigate({
      to: from,
      params: { brandId },
      search: readAuditSearch({ ...search, ...change }),
      replace: true
    })
  const brandText = (id: string | null): string =>
    id === null ? "" : (brands.find((brand) => brand.id === id)?.name ?? `Brand ${id}`)

  const columns: ReadonlyArray<Column<AuditEntry>> = [
    { title: "When", cell: ({ at }) => <time dateTime={at}>{exactTime(at)}</time> },
    {
      title: "Who",
      cell: ({ actor, viaSession }) => (
        <span className="flex min-w-0 flex-col">
          <span className="font-medium wrap-anywhere">{actorText(actor)}</span>
          {viaSession ? <span className="text-muted text-xs">in a browser</span> : null}
        </span>
      )
    },
    {
      title: "Did",
      cell: ({ operation, subjectId }) => (
        <span className="flex min-w-0 flex-col">
          <span className="wrap-anywhere">{operationText(operation)}</span>
          {subjectId === null ? null : <span className="text-muted text-xs">id {subjectId}</span>}
        </span>
      )
    },
    {
      title: "Brand",
      className: "max-sm:hidden",
      cell: (entry) => <span className="wrap-anywhere">{brandText(entry.brandId)}</span>
    },
    {
      title: "Answer",
      className: "w-px text-right whitespace-nowrap",
      cell: ({ status }) => <Outcome status={status} />
    }
  ]

  const body = () => {
    if (error !== null && entries === undefined)
      return <Failure error={error} onRetry={() => void refetch()} />
    if (entries === undefined) return <Loading />
    if (entries.length === 0)
      return (
        <div className="card">
          <Empty icon="log" title="No entries">
            {search.of === undefined && search.since === undefined
              ? "Changes by operators, lists and exports of leads, and sign-ins appear here."
              : "Nothing was done in this brand, or since this day. Choose an earlier day, or all brands."}
          </Empty>
        </div>
      )
    return (
      <>
        <div className="card overflow-x-auto">
          <DataTable label="Audit log" columns={columns} rows={entries} keyOf={({ id }) => id} />
        </div>
        {error === null ? null : <Failure error={error} onRetry={() => void fetchNextPage()} />}
        {hasNextPage ? (
          <Button className="self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : "Show older entries"}
          </Button>
        ) : null}
      </>
    )
  }

  return (
    <>
      <PageHeader
        title="Audit log"
        description="What operators changed, who listed or exported leads, and who signed in. It holds ids, and nothing of a person."
        actions={<CurlButton calls={[{ does: "These entries", path: "/operator/audit", query }]} />}
      />
      <div className="flex flex-col gap-4 px-4 pb-6 md:px-6">
        <div className="grid max-w-xl grid-cols-2 gap-3">
          <SelectField
            label="Entries of"
            value={search.of ?? ""}
            onChange={(event) => choose({ of: event.target.value })}
          >
            <option value="">All brands</option>
            <option value="brand">This brand</option>
          </SelectField>
          <TextField
            label="Since"
            type="date"
            value={search.since ?? ""}
            onChange={(event) => choose({ since: event.target.value })}
          />
        </div>
        {body()}
      </div>
    </>
  )
}
