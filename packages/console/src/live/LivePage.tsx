/** The brand's events as they happen. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { signalsQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Empty } from "../ui/States.tsx"
import { EventList } from "./EventList.tsx"
import { type LiveSearch, readLiveSearch } from "./liveSearch.ts"
import type { LiveState } from "./liveStream.ts"
import { useLiveEvents } from "./useLiveEvents.ts"
import { Select } from "../ui/Select.tsx"

const from = "/brands/$brandId/live"

const wordsOf = (state: LiveState): readonly [tone: Tone, text: string] =>
  state.at === "connected"
    ? ["good", "Connected"]
    : state.at === "connecting"
      ? ["plain", "Connecting"]
      : ["warn", "Connection lost. Connecting again."]

const Connection = ({ state }: { readonly state: LiveState }) => {
  const [tone, text] = wordsOf(state)
  return (
    <p role="status" className="flex flex-wrap items-center gap-2">
      <Badge tone={tone}>{text}</Badge>
      {state.at === "waiting" && state.reason !== null ? (
        <span className="text-muted text-xs">{state.reason}</span>
      ) : null}
    </p>
  )
}

const Live = ({ brandId }: { readonly brandId: string }) => {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const [isPaused, setPaused] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  const { events, hasGap, held, state } = useLiveEvents(brandId, isPaused || isScrolled)
  const { data: signals } = useQuery(signalsQuery(brandId))
  const visible = useMemo(
    () =>
      events.filter(
        ({ event, signal }) =>
          (search.event === undefined || event === search.event) &&
          (search.signalId === undefined || signal.id === search.signalId)
      ),
    [events, search]
  )
  const choose = (change: LiveSearch) =>
    void navigate({ to: from, search: readLiveSearch({ ...search, ...change }), replace: true })
  return (
    <div className="flex min-h-0 grow flex-col">
      <PageHeader
        title="Live"
        description="New leads and engagements as they are recorded."
        actions={
          <>
            <Connection state={state} />
            <CurlButton
              calls={[
                {
                  does: "Events as they happen",
                  path: `/operator/brands/${brandId}/events`,
                  isStream: true
                }
              ]}
            />
            <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              {isPaused ? "Go on" : "Pause"}
            </Button>
          </>
        }
      />
      <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
        <Select
          aria-label="Event"
          value={search.event ?? ""}
          onChange={({ target }) => choose({ event: target.value })}
        >
          <option value="">All events</option>
          <option value="lead2.created">New leads</option>
          <option value="activity.detected">Engagements</option>
        </Select>
        <Select
          aria-label="Signal"
          className="max-w-60"
          value={search.signalId ?? ""}
          onChange={({ target }) => choose({ signalId: target.value })}
        >
          <option value="">All signals</option>
          {signals?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <p className="text-muted text-xs tabular-nums">
          {held > 0 ? `${held} more, held while the list stands still` : `${visible.length} shown`}
        </p>
        {hasGap ? (
          <p role="alert" className="text-warn text-xs">
            Some events are missing here: the connection was lost for too long. Leads has them all.
          </p>
        ) : null}
      </div>
      {visible.length === 0 ? (
        <Empty icon="live" title={events.length === 0 ? "Nothing yet" : "No event passes the filters"}>
          Events show here as observations are recorded.
        </Empty>
      ) : (
        <EventList brandId={brandId} events={visible} onScrolled={setScrolled} />
      )}
    </div>
  )
}

/**
 * The list stands still while it is scrolled or paused, and counts what comes meanwhile. It begins empty: events of before are not read. Another
 * brand begins anew.
 */
export const LivePage = () => {
  const { brandId } = useParams({ from })
  return <Live key={brandId} brandId={brandId} />
}
