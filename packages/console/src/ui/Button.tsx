/** Buttons, and links that look like them. */
import type { ComponentProps } from "react"
import { Icon, type IconName } from "./Icon.tsx"

const looks = {
  primary: "bg-accent text-on-accent border-accent hover:bg-accent-strong",
  plain: "bg-surface text-ink border-line hover:border-edge",
  quiet: "border-transparent text-muted hover:text-ink hover:bg-sunken",
  danger: "bg-danger text-on-danger border-danger hover:opacity-90"
} as const

type Look = keyof typeof looks

/** The classes of a button, for links and labels that do the same. 32 px high, 44 px where fingers point. */
export const buttonClass = (look: Look = "plain"): string =>
  `touch:h-11 inline-flex h-8 items-center justify-center gap-1.5 rounded-md border px-2.5 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50 ${looks[look]}`

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look
  readonly icon?: IconName
}

/** Its type is "button" unless given: it submits no form by accident. */
export const Button = ({ children, className = "", icon, look, type = "button", ...rest }: ButtonProps) => (
  <button type={type} className={`${buttonClass(look)} ${className}`} {...rest}>
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </button>
)

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: IconName
  /** What it does, for screen readers and as its hint. */
  readonly label: string
}

/** A button of an icon alone, 32 px wide, 44 px where fingers point. */
export const IconButton = ({ className = "", icon, label, type = "button", ...rest }: IconButtonProps) => (
  <button
    type={type}
    aria-label={label}
    title={label}
    className={`text-muted hover:text-ink hover:bg-sunken touch:size-11 inline-flex size-8 shrink-0 items-center justify-center rounded-md transition-colors disabled:opacity-40 ${className}`}
    {...rest}
  >
    <Icon name={icon} />
  </button>
)
