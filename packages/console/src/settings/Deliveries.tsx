/** The deliveries of a webhook, the newest first, by state. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Delivery } from "../api/client.ts"
import { deliveriesQuery, type DeliveryQuery } from "../api/queries.ts"
import { Pagination } from "../leads/Pagination.tsx"
import { useFocusOnNewPage } from "../shell/rows.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { isTaken } from "./attemptTotals.ts"
import { DeliveryState } from "./DeliveryState.tsx"
import type { DeliverySearch } from "./deliverySearch.ts"

interface DeliveriesProps {
  readonly brandId: string
  readonly webhookId: string
  readonly search: DeliverySearch
  readonly onChange: (search: DeliverySearch) => void
}

const states = [
  ["", "All"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["dead", "Dead"],
  ["held", "Held"]
] as const

/** How often the list is read anew while it is looked at. */
export const refreshMillis = 5000

/** One page of the state of the URL, read again every 5 s; a failure then keeps the rows. A phone has event, creation and state. */
export const Deliveries = ({ brandId, onChange, search, webhookId }: DeliveriesProps) => {
  const query: DeliveryQuery = {
    ...(search.state === undefined ? {} : { state: search.state }),
    page: search.page ?? "1"
  }
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...deliveriesQuery(brandId, webhookId, query),
    refetchInterval: refreshMillis
  })
  useFocusOnNewPage(data, !isPlaceholderData)
  const columns: ReadonlyArray<Column<Delivery>> = [
    {
      title: "Event",
      cell: ({ event, id }) => (
        <Link
          to="/brands/$brandId/settings/webhooks/$webhookId"
          params={{ brandId, webhookId }}
          search={{ ...search, delivery: id }}
          className="flex flex-col underline-offset-2 hover:underline"
        >
          <span className="font-medium">{event}</span>
          <span className="text-muted font-mono text-2xs break-all">{id}</span>
        </Link>
      )
    },
    {
      title: "Lead",
      className: "max-sm:hidden",
      cell: ({ leadId }) =>
        leadId === null ? (
          ""
        ) : (
          <Link
            to="/brands/$brandId/leads"
            params={{ brandId }}
            search={{ lead: String(leadId) }}
            className="text-accent tabular-nums underline-offset-2 hover:underline"
          >
            {leadId}
          </Link>
        )
    },
    {
      title: "Attempts",
      className: "max-sm:hidden",
      cell: ({ attempts }) => <span className="tabular-nums">{attempts}</span>
    },
    {
      title: "Latest attempt",
      className: "max-sm:hidden",
      cell: ({ lastAttempt }) =>
        lastAttempt === null ? (
          ""
        ) : (
          <span className="flex flex-wrap items-center gap-1.5">
            <Badge tone={isTaken(lastAttempt.status) ? "good" : "bad"}>
              {lastAttempt.status ?? lastAttempt.error ?? "no answer"}
            </Badge>
            <span className="text-muted text-xs tabular-nums">{lastAttempt.durationMillis} ms</span>
          </span>
        )
    },
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: "Next attempt",
      className: "max-md:hidden",
      cell: ({ nextAttemptAt, state }) => {
        if (nextAttemptAt !== null) return <Time at={nextAttemptAt} />
        return state === "pending" ? <span className="text-muted">after the one before</span> : ""
      }
    },
    { title: "State", className: "text-right", cell: ({ state }) => <DeliveryState state={state} /> }
  ]
  const body = () => {
    if (error !== null && data === undefined)
      return (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )
    if (data === undefined) return <Loading />
    if (data.meta.pagination.total > 0 && data.data.length === 0)
      return (
        <Empty
          icon="send"
          title="This page is past the end"
          action={
            <Button onClick={() => onChange(search.state === undefined ? {} : { state: search.state })}>
              First page
            </Button>
          }
        >
          The list has become shorter, or the link is older than the list.
        </Empty>
      )
    if (data.data.length === 0)
      return (
        <Empty
          icon="send"
          title={search.state === undefined ? "Nothing was sent yet" : `No delivery is ${search.state}`}
        >
          {search.state === undefined
            ? "Send a test, or import an observation."
            : "Choose another state to see others."}
        </Empty>
      )
    return <DataTable label="Deliveries" columns={columns} rows={data.data} keyOf={({ id }) => id} />
  }
  return (
    <section aria-label="Deliveries" className="px-4 pb-6 md:px-6">
      <div role="group" aria-label="State" className="mb-3 flex flex-wrap gap-1.5">
        {states.map(([state, text]) => (
          <button
            key={state}
            type="button"
            aria-pressed={(search.state ?? "") === state}
            onClick={() => onChange(state === "" ? {} : { state })}
            className="border-line text-muted hover:border-edge aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent touch:h-11 touch:min-w-11 h-8 rounded-md border px-2.5 text-sm font-medium"
          >
            {text}
          </button>
        ))}
      </div>
      <div className="card overflow-x-auto">
        {body()}
        {data === undefined || data.meta.pagination.pageCount <= 1 ? null : (
          <Pagination
            {...data.meta.pagination}
            onPage={(page) => onChange({ ...search, page: String(page) })}
          />
        )}
      </div>
    </section>
  )
}
