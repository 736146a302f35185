/** Events, the newest first. Rows exist for those in view alone. */
import { Link } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { useRef } from "react"
import { Badge } from "../ui/Badge.tsx"
import { Name } from "../ui/Name.tsx"
import type { LiveEvent } from "./liveStream.ts"

const clock = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" })

const rowHeight = 52

const kindOf = ({ engagement: { reactionType, type } }: LiveEvent): string =>
  type === null ? "engagement" : reactionType === null ? type : `${type} ${reactionType}`

const EventRow = ({ brandId, event }: { readonly brandId: string; readonly event: LiveEvent }) => (
  <>
    <time dateTime={event.occurredAt} className="text-muted w-16 shrink-0 text-xs tabular-nums">
      {clock.format(Date.parse(event.occurredAt))}
    </time>
    <span className="w-22 shrink-0">
      <Badge tone={event.event === "lead2.created" ? "good" : "plain"}>
        {event.event === "lead2.created" ? "New lead" : "Engagement"}
      </Badge>
    </span>
    <span className="flex min-w-0 grow flex-col">
      <Link
        to="/brands/$brandId/leads"
        params={{ brandId }}
        search={{ lead: String(event.lead.id) }}
        className="hover:text-accent touch:after:absolute touch:after:inset-0 truncate font-medium"
      >
        <Name text={event.lead.name} />
      </Link>
      <span className="text-muted truncate text-xs">
        <bdi>{event.lead.headline ?? ""}</bdi>
      </span>
    </span>
    <span className="hidden w-32 shrink-0 truncate text-xs sm:block">
      <bdi>{kindOf(event)}</bdi>
    </span>
    <span className="text-muted hidden w-40 shrink-0 truncate text-xs md:block">
      <bdi>{event.signal.name}</bdi>
    </span>
  </>
)

interface EventListProps {
  readonly brandId: string
  readonly events: ReadonlyArray<LiveEvent>
  /** Whether the top of the list is out of view. */
  readonly onScrolled: (isScrolled: boolean) => void
}

/** The rows are 52 px high and drawn only near the view, so thousands cost no more than a screenful. A phone leaves out the signal and the kind. */
export const EventList = ({ brandId, events, onScrolled }: EventListProps) => {
  const place = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    getItemKey: (i) => events[i]!.id,
    overscan: 8
  })
  return (
    <div
      ref={place}
      role="region"
      aria-label="Events"
      tabIndex={0}
      data-events={events.length}
      onScroll={({ currentTarget }) => onScrolled(currentTarget.scrollTop > rowHeight / 2)}
      className="min-h-0 grow overflow-auto"
    >
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, size, start }) => (
          <li
            key={key}
            data-row=""
            aria-posinset={index + 1}
            aria-setsize={events.length}
            className="border-line absolute inset-x-0 flex items-center gap-3 border-b px-4 text-sm md:px-6"
            style={{ height: size, transform: `translateY(${start}px)` }}
          >
            <EventRow brandId={brandId} event={events[index]!} />
          </li>
        ))}
      </ul>
    </div>
  )
}
