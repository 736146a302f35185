/**
 * Prints the progress of long work: a redrawn bar on a terminal of known width, a line every few seconds
 * elsewhere.
 */

const width = 28

/** What a line of progress shows. */
export interface ProgressLine {
  /** From 0 to 1. */
  readonly fraction: number
  readonly text: string
}

const bar = (fraction: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * width)
  return `${"█".repeat(full)}${"░".repeat(width - full)}`
}

const percent = (fraction: number): string => `${Math.floor(fraction * 100)} %`.padStart(5)

/** Seconds in words, such as `2 min 5 s`; `?` for what is not finite. */
export const duration = (seconds: number): string => {
  if (!Number.isFinite(seconds)) return "?"
  const whole = Math.max(0, Math.round(seconds))
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** What progress needs of an output. */
export interface Stream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

/** Minimum milliseconds between two updates. */
const intervalsMillis = { terminal: 100, plain: 5000 }

/** `now` returns milliseconds of any monotonic clock. */
export const progress = (out: Stream, now: () => number) => {
  // Without a width the bar could wrap, and redrawing would then repeat it.
  const columns = out.columns ?? 0
  const isTerminal = out.isTTY === true && columns > 0
  const intervalMillis = isTerminal ? intervalsMillis.terminal : intervalsMillis.plain
  let drawnAt = isTerminal ? -Infinity : now()
  let drawn = false
  return {
    update({ fraction, text }: ProgressLine): void {
      if (now() - drawnAt < intervalMillis) return
      drawnAt = now()
      if (!isTerminal) {
        out.write(`${percent(fraction).trim()}  ${text}\n`)
        return
      }
      drawn = true
      out.write(
        `\r\u001b[2K${bar(fraction)} ${percent(fraction)}  ${text}`.slice(0, (out.columns ?? columns) + 4)
      )
    },
    /** Clears the bar, so that the next output starts on an empty line. */
    clear(): void {
      if (drawn) out.write("\r\u001b[2K")
      drawn = false
    }
  }
}
