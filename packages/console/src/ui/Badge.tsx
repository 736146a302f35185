/** A word about a state. */
import type { ReactNode } from "react"

const tones = {
  plain: "bg-sunken text-muted",
  good: "bg-accent-soft text-accent",
  warn: "bg-warn-soft text-warn",
  bad: "bg-danger-soft text-danger"
} as const

/** What a colour means. Every badge says it in words, too. */
export type Tone = keyof typeof tones

/** One line, cut off with an ellipsis where its place is too narrow. */
export const Badge = ({
  children,
  tone = "plain"
}: {
  readonly children: ReactNode
  readonly tone?: Tone
}) => (
  <span
    className={`inline-flex max-w-full items-center rounded px-1.5 text-2xs leading-5 font-medium whitespace-nowrap ${tones[tone]}`}
  >
    <span className="truncate">{children}</span>
  </span>
)
