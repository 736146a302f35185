/** New leads a day, of the last two weeks: a count of the list for each. */
import { useQueries } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { leadCountQuery } from "../api/queries.ts"
import { filterOf } from "../leads/leadSearch.ts"

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

const chart = { width: 560, height: 120, gap: 14 } as const

export const NewLeads = ({ brandId }: { readonly brandId: string }) => {
  const dates = useMemo(lastDays, [])
  const counts = useQueries({
    queries: dates.map((day) =>
      leadCountQuery("operator", brandId, filterOf({ createdAfter: day, createdBefore: day }))
    ),
    combine: (results) => results.map(({ data }) => data ?? 0)
  })
  const most = Math.max(...counts, 1)
  const step = chart.width / days
  const sum = counts.reduce((total, each) => total + each, 0)
  return (
    <section aria-labelledby="new-leads" className="card p-4">
      <div className="mb-3 flex items-baseline gap-3">
        <h2 id="new-leads" className="grow text-sm font-semibold">
          New leads a day
        </h2>
        <p className="text-muted text-xs tabular-nums">{sum} in 14 days</p>
      </div>
      <svg
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        className="h-36 w-full"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {counts.map((value, i) => {
          const height = value === 0 ? 1 : Math.max((value / most) * chart.height, 3)
          return (
            <rect
              key={dates[i]}
              x={i * step + chart.gap / 2}
              y={chart.height - height}
              width={step - chart.gap}
              height={height}
              className={value === 0 ? "fill-line" : "fill-accent"}
            />
          )
        })}
      </svg>
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
