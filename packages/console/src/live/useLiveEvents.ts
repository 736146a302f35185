/** The newest events of a brand, put on the page once a frame however many arrive. */
import { useEffect, useRef, useState } from "react"
import { type LiveEvent, type LiveState, readLiveEvents } from "./liveStream.ts"

/** Events that the page keeps; older ones go. */
const maxKept = 2000

interface LiveEvents {
  /** The newest first. */
  readonly events: ReadonlyArray<LiveEvent>
  /** Events that wait while the list stands still. */
  readonly held: number
  readonly state: LiveState
  /** Whether events may be missing since the page was opened. */
  readonly hasGap: boolean
}

/** While `isHeld`, what arrives waits, and the list stays as it is. */
export const useLiveEvents = (brandId: string, isHeld: boolean): LiveEvents => {
  const [events, setEvents] = useState<ReadonlyArray<LiveEvent>>([])
  const [held, setHeld] = useState(0)
  const [state, setState] = useState<LiveState>({ at: "connecting" })
  const [hasGap, setGap] = useState(false)
  /** The oldest first. */
  const arrived = useRef<Array<LiveEvent>>([])
  const frame = useRef(0)
  const holds = useRef(isHeld)

  useEffect(() => {
    holds.current = isHeld
    if (!isHeld) schedule()
  }, [isHeld])

  const show = (): void => {
    frame.current = 0
    if (holds.current) return setHeld(arrived.current.length)
    const fresh = arrived.current.reverse()
    arrived.current = []
    setHeld(0)
    if (fresh.length > 0) setEvents((before) => [...fresh, ...before].slice(0, maxKept))
  }

  const schedule = (): void => {
    if (frame.current === 0) frame.current = requestAnimationFrame(show)
  }

  useEffect(() => {
    const controller = new AbortController()
    const onEvent = (event: LiveEvent): void => {
      arrived.current.push(event)
      // No frame comes while the page is in the background.
      if (arrived.current.length > 2 * maxKept) arrived.current = arrived.current.slice(-maxKept)
      schedule()
    }
    void readLiveEvents(brandId, { onEvent, onGap: () => setGap(true), onState: setState }, controller.signal)
    return () => {
      controller.abort()
      cancelAnimationFrame(frame.current)
      frame.current = 0
    }
  }, [brandId])

  return { events, held, state, hasGap }
}
