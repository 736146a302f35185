/** How many leads there are, each number a link to the list of these leads. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { leadCountQuery } from "../api/queries.ts"
import { filterOf, type LeadSearch } from "../leads/leadSearch.ts"

const count = new Intl.NumberFormat("en")

const kinds: ReadonlyArray<readonly [text: string, search: LeadSearch]> = [
  ["New in 24 hours", { created: "1d" }],
  ["New in 7 days", { created: "7d" }],
  ["Qualified", { qualified: "true" }],
  ["Qualified, not yet exported", { qualified: "true", exported: "false" }]
]

const Count = ({
  brandId,
  search,
  text
}: {
  readonly brandId: string
  readonly text: string
  readonly search: LeadSearch
}) => {
  const filter = useMemo(() => filterOf(search), [search])
  const { data } = useQuery(leadCountQuery("operator", brandId, filter))
  return <Tile brandId={brandId} search={search} text={text} value={data} />
}

const Tile = ({
  brandId,
  search,
  text,
  value
}: {
  readonly brandId: string
  readonly text: string
  readonly search: LeadSearch
  readonly value: number | undefined
}) => (
  <Link
    to="/brands/$brandId/leads"
    params={{ brandId }}
    search={search}
    className="card hover:border-edge flex max-md:first:col-span-2 flex-col-reverse justify-end gap-0.5 px-4 py-3 transition-colors"
  >
    <span className="text-muted text-xs">{text}</span>
    <span className="text-xl font-semibold tabular-nums">
      {value === undefined ? "…" : count.format(value)}
    </span>
  </Link>
)

/** Five tiles, each a link to its list; a count that is still loading, or failed, is an ellipsis. Two in a row on a phone. */
export const Counts = ({ brandId, total }: { readonly brandId: string; readonly total: number }) => (
  <section aria-label="Leads in numbers" className="grid grid-cols-2 gap-3 md:grid-cols-3 lg:grid-cols-5">
    <Tile brandId={brandId} text="Leads" search={{}} value={total} />
    {kinds.map(([text, search]) => (
      <Count key={text} brandId={brandId} text={text} search={search} />
    ))}
  </section>
)
