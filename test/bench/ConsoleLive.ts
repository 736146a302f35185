/** How the page Live keeps up in Chromium while observations arrive evenly: its frames, how late it is, and its memory. */
import { setTimeout as sleep } from "node:timers/promises"
import type { CDPSession, Page } from "playwright-core"
import { newObservation } from "./NewObservation.ts"
import { limited, type Section } from "./Report.ts"
import { operatorToken } from "./Servers.ts"
import { quantile } from "./Statistics.ts"

const eventsPerSecond = 200
/** A new lead fires two events: that of the lead, and that of its engagement. */
const eventsOfObservation = 2
const postMillis = 100
/** The list is full after so long, and its memory stays. */
const fillSeconds = 12
const [frameMillis, lateMillis] = [1000 / 30, 1000]
/** Numbers of persons that no other measurement uses. */
const firstNumber = 500_000

/** What one run of Live gave, second by second. */
export interface LiveFigures {
  /** Milliseconds a frame took at the mean, in each second. */
  readonly frames: ReadonlyArray<number>
  /** Milliseconds between two frames, the longest of each second. */
  readonly gaps: ReadonlyArray<number>
  /** Milliseconds since the newest event that the page shows was recorded, looked at once a second. */
  readonly late: ReadonlyArray<number>
  /** Bytes of the page's heap when the list is full, and at the end, each right after a collection. */
  readonly heap: readonly [full: number, end: number]
  readonly events: number
}

/** Sends observations to brand 1 as the operator. Throws where they are refused. */
export const recordNew = async (url: string, observations: ReadonlyArray<unknown>): Promise<void> => {
  const response = await fetch(`${url}/operator/brands/1/observations`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: JSON.stringify({ observations })
  })
  if (!response.ok) throw new Error(`observations: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

const heapOf = async (session: CDPSession): Promise<number> => {
  await session.send("HeapProfiler.collectGarbage")
  const { metrics } = await session.send("Performance.getMetrics")
  return metrics.find(({ name }) => name === "JSHeapUsedSize")!.value
}

/** Counts frames in the page, and looks once a second at how old the newest event is. */
const watchFrames = `() => {
  const watched = { frames: [], gaps: [], late: [], isOver: false }
  globalThis.watched = watched
  let [count, longest, secondAt, before] = [0, 0, performance.now(), performance.now()]
  const frame = (now) => {
    if (watched.isOver) return
    count += 1
    longest = Math.max(longest, now - before)
    before = now
    if (now - secondAt >= 1000) {
      watched.frames.push((now - secondAt) / count)
      watched.gaps.push(longest)
      const newest = document.querySelector("[data-events] time")
      if (newest !== null) watched.late.push(Date.now() - Date.parse(newest.dateTime))
      ;[count, longest, secondAt] = [0, 0, now]
    }
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}`

/** Sends observations evenly, however long one post takes, until the signal ends it; answers how many events they fire. */
const send = async (url: string, signal: AbortSignal): Promise<number> => {
  const perPost = (eventsPerSecond / eventsOfObservation / 1000) * postMillis
  const startedAt = performance.now()
  let posts = 0
  while (!signal.aborted) {
    const first = firstNumber + posts * perPost
    const now = new Date().toISOString()
    const observations = Array.from({ length: perPost }, (_, i) => {
      const { engagement, ...observation } = newObservation(first + i, "1")
      return { ...observation, engagement: { ...engagement, trackedAt: now } }
    })
    await recordNew(url, observations)
    posts += 1
    await sleep(Math.max(0, startedAt + posts * postMillis - performance.now()))
  }
  return posts * perPost * eventsOfObservation
}

/** Looks at Live for so many seconds after its list is full. */
export const measureLive = async (page: Page, url: string, seconds: number): Promise<LiveFigures> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable")
  await page.goto(`${url}/console/brands/1/live`)
  await page.getByText("Connected", { exact: true }).waitFor()
  const end = new AbortController()
  const sent = send(url, end.signal)
  try {
    await Promise.race([sleep(fillSeconds * 1000), sent])
    const full = await heapOf(session)
    await page.evaluate(`(${watchFrames})()`)
    await Promise.race([sleep(seconds * 1000), sent])
    const watched = await page.evaluate(() => {
      const { watched } = globalThis as unknown as { watched: { isOver: boolean } }
      watched.isOver = true
      return watched as unknown as Pick<LiveFigures, "frames" | "gaps" | "late">
    })
    const heap = [full, await heapOf(session)] as const
    end.abort()
    return { ...watched, heap, events: await sent }
  } finally {
    end.abort()
    await sent.catch(() => undefined)
  }
}

/** The figures as lines of the report. `seconds` are those after the list was full. */
export const liveSection = (leads: number, live: LiveFigures, seconds: number): Section => {
  const perSecond = Math.round(live.events / (seconds + fillSeconds))
  const megabytes = live.heap.map((bytes) => Math.round(bytes / 1e5) / 10)
  return {
    title: `Console, Live with ${perSecond} events a second`,
    note: `Over ${live.frames.length} seconds: milliseconds of a frame in the slowest second (30 frames a second are 33), the longest time between two frames, how late the newest event is shown at the 95th percentile, and megabytes of the page's heap at the end; the reference is the median, and of the heap what it had once the list was full.`,
    lines: [
      limited("console-live-frame", leads, [Math.max(...live.frames)], frameMillis, live.frames),
      limited("console-live-longest-gap", leads, [Math.max(...live.gaps)], null, live.gaps),
      limited("console-live-late", leads, [quantile(live.late, 0.95)], lateMillis, live.late),
      limited("console-live-heap", leads, [megabytes[1]!], megabytes[0]! * 1.5, [megabytes[0]!])
    ]
  }
}
