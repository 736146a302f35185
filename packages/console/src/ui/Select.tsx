/** The one look of a choice: a native select, which every keyboard, phone and screen reader knows, with the arrow of the console. */
import type { ComponentProps } from "react"
import { Icon } from "./Icon.tsx"

const looks = {
  /** Beside buttons and other choices. */
  plain: "border-line hover:border-edge font-medium",
  /** Among the fields of a form. */
  form: "",
  /** A filter that is set. */
  set: "border-accent bg-accent-soft text-accent font-medium",
  quiet: "text-muted hover:text-ink border-transparent bg-transparent"
} as const

interface SelectProps extends ComponentProps<"select"> {
  readonly look?: keyof typeof looks
}

/** `className`: of its frame, such as its width. */
export const Select = ({ children, className = "", look = "plain", ...select }: SelectProps) => (
  <span className={`relative inline-flex max-w-full min-w-0 ${className}`}>
    <select
      className={`field [&_option]:bg-surface [&_option]:text-ink w-full min-w-0 appearance-none truncate pr-8 ${looks[look]}`}
      {...select}
    >
      {children}
    </select>
    <Icon
      name="down"
      className={`pointer-events-none absolute inset-y-0 right-2.5 my-auto size-3 ${look === "set" ? "text-accent" : "text-muted"}`}
    />
  </span>
)
