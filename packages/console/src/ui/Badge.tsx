/** A word about a state. */
import type { ReactNode } from "react"

const tones = {
  plain: "bg-sunken text-muted",
  good: "bg-accent-soft text-accent",
  warn: "bg-warn-soft text-warn",
  bad: "bg-danger-soft text-danger"
} as const

export type Tone = keyof typeof tones

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
