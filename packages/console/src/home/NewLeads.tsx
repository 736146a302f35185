/** New leads a day, of the last two weeks: a count of the list for each. */
import { useQueries } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { leadCountQuery } from "../api/queries.ts"
import { filterOf } from "../leads/leadSearch.ts"
import { Plot } from "../plots/Plot.tsx"

const days = 14
const dayText = new Intl.DateTimeFormat("en", { weekday: "short", month: "short", day: "numeric" })

/** The reader's days, the latest last, as `YYYY-MM-DD`. */
const lastDays = (): ReadonlyArray<string> =>
  Array.from({ length: days }, (_, i) => {
    const day = new Date()
    day.setDate(day.getDate() - (days - 1 - i))
    const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"))
    return `${day.getFullYear()}-${month}-${date}`
  })

const startOf = (day: string): number => new Date(`${day}T00:00`).getTime()

export const NewLeads = ({ brandId }: { readonly brandId: string }) => {
  const dates = useMemo(lastDays, [])
  const times = useMemo(() => dates.map(startOf), [dates])
  const counts = useQueries({
    queries: dates.map((day) =>
      leadCountQuery("operator", brandId, filterOf({ createdAfter: day, createdBefore: day }))
    ),
    combine: (results) => results.map(({ data }) => data ?? 0)
  })
  const series = useMemo(() => [{ label: "New leads", values: counts }], [counts])
  return (
    <section className="card p-4">
      <Plot
        title="New leads a day"
        kind="bars"
        times={times}
        series={series}
        formatTime={(time) => dayText.format(time)}
      />
      <ol className="text-muted mt-1 grid grid-cols-14 text-center text-2xs">
        {dates.map((day, i) => {
          const text = `${counts[i]} on ${dayText.format(new Date(`${day}T12:00`))}`
          return (
            <li key={day}>
              <Link
                to="/brands/$brandId/leads"
                params={{ brandId }}
                search={{ createdAfter: day, createdBefore: day }}
                aria-label={text}
                title={text}
                className="hover:text-ink block py-1 tabular-nums"
              >
                {Number(day.slice(8))}
              </Link>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
