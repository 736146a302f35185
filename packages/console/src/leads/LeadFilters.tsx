/** Search as one types, and a chip for each filter of the API. */
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { signalsQuery } from "../api/queries.ts"
import { useSession } from "../session/session.ts"
import { takeSearchFocus } from "../shell/shortcuts.ts"
import { Icon } from "../ui/Icon.tsx"
import { Select } from "../ui/Select.tsx"
import { defaultSort, filterNames, type LeadSearch, windows } from "./leadSearch.ts"

interface FiltersProps {
  readonly brandId: string
  readonly search: LeadSearch
  readonly onChange: (change: LeadSearch, isTyping?: boolean) => void
}

const typingMillis = 50
const maxSearchLength = 200

const SearchField = ({ onChange, search }: Omit<FiltersProps, "brandId">) => {
  const [text, setText] = useState(search.search ?? "")
  const sent = useRef(text)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takeSearchFocus()) field.current!.focus()
  }, [])
  // The URL changes by other ways, too: by a link, and by the button that clears the filters.
  useEffect(() => {
    const inUrl = search.search ?? ""
    if (inUrl !== sent.current) {
      sent.current = inUrl
      setText(inUrl)
    }
  }, [search.search])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      onChange({ search: text }, true)
    }, typingMillis)
    return () => clearTimeout(timer)
  })
  return (
    <div className="relative w-full sm:w-64">
      <Icon
        name="search"
        className="text-muted pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4"
      />
      <input
        ref={field}
        data-search
        type="search"
        aria-label="Search names and headlines"
        placeholder="Search names and headlines"
        maxLength={maxSearchLength}
        className="field w-full pl-8"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur()
        }}
      />
    </div>
  )
}

interface ChipProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ReactNode
}

/** A filter: its label while it is open to all, its value once it is set. */
const Chip = ({ children, label, onChange, value }: ChipProps) => {
  const isSet = value !== ""
  return (
    <span className="inline-flex shrink-0 items-center">
      <Select
        aria-label={label}
        look={isSet ? "set" : "plain"}
        className={`max-w-56 [&>select]:[field-sizing:content] ${isSet ? "[&>select]:rounded-r-none" : ""}`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{label}</option>
        {children}
      </Select>
      {isSet ? (
        <button
          type="button"
          aria-label={`Clear the filter ${label}`}
          className="border-accent bg-accent-soft text-accent touch:h-11 touch:w-11 -ml-px flex h-8 w-8 items-center justify-center rounded-r-md border"
          onClick={() => onChange("")}
        >
          <Icon name="close" className="size-3" />
        </button>
      ) : null}
    </span>
  )
}

/** The orders that the list has besides its titles: on a phone few of these are there. */
const orders = [
  ["createdAt:desc", "Newest first"],
  ["createdAt:asc", "Oldest first"],
  ["updatedAt:desc", "Latest change first"],
  ["score1:desc", "Highest score first"],
  ["name:asc", "By name"]
] as const

const OrderChoice = ({ onChange, search: { sort = defaultSort } }: Omit<FiltersProps, "brandId">) => (
  <Select
    aria-label="Order of the leads"
    className="shrink-0 md:hidden"
    value={sort}
    onChange={({ target }) => onChange({ sort: target.value })}
  >
    {orders.some(([order]) => order === sort) ? null : <option value={sort}>{sort}</option>}
    {orders.map(([order, text]) => (
      <option key={order} value={order}>
        {text}
      </option>
    ))}
  </Select>
)

const flags = [
  ["qualified", "Qualified", "Not qualified"],
  ["exported", "Exported", "Not exported"],
  ["isEmployee", "Employee", "No employee"]
] as const

const windowTexts: Readonly<Record<keyof typeof windows, string>> = {
  "1d": "last 24 hours",
  "7d": "last 7 days",
  "30d": "last 30 days",
  "90d": "last 90 days"
}

const custom = "custom"

/** A window of time: one that ends now, or days from a calendar. */
const WindowChip = ({
  field,
  label,
  onChange,
  search
}: Omit<FiltersProps, "brandId"> & { readonly field: "created" | "updated"; readonly label: string }) => {
  const [after, before] = [`${field}After`, `${field}Before`] as const
  const hasDays = search[after] !== undefined || search[before] !== undefined
  const [isCustom, setCustom] = useState(false)
  const value = search[field] ?? (hasDays || isCustom ? custom : "")
  const change = (chosen: string) => {
    setCustom(chosen === custom)
    onChange({ [field]: chosen === custom ? "" : chosen, [after]: "", [before]: "" })
  }
  return (
    <>
      <Chip label={label} value={value} onChange={change}>
        {Object.entries(windowTexts).map(([window, text]) => (
          <option key={window} value={window}>
            {label}: {text}
          </option>
        ))}
        <option value={custom}>{label}: days …</option>
      </Chip>
      {value === custom ? (
        <span className="inline-flex shrink-0 items-center gap-1.5">
          <input
            type="date"
            aria-label={`${label} on or after`}
            className="field"
            value={search[after]?.slice(0, 10) ?? ""}
            onChange={(event) => onChange({ [after]: event.target.value })}
          />
          <span className="text-muted text-sm">to</span>
          <input
            type="date"
            aria-label={`${label} on or before`}
            className="field"
            value={search[before]?.slice(0, 10) ?? ""}
            onChange={(event) => onChange({ [before]: event.target.value })}
          />
        </span>
      ) : null}
    </>
  )
}

/**
 * `onChange` gets what changes, with empty texts for filters that are cleared, and whether it comes from typing, 50 ms after the last key. On a
 * phone the filters scroll sideways, and the order is among them.
 */
export const LeadFilters = ({ brandId, onChange, search }: FiltersProps) => {
  const { access } = useSession()
  const { data: signals = [] } = useQuery({ ...signalsQuery(brandId), enabled: access === "operator" })
  const isFiltered = search.search !== undefined || filterNames.some((name) => search[name] !== undefined)
  const cleared = Object.fromEntries(["search", ...filterNames].map((name) => [name, ""]))
  const isKnownSignal = signals.some(({ id }) => id === search.signalId)
  return (
    <div className="flex flex-col gap-2 px-4 pb-3 sm:flex-row sm:flex-wrap sm:items-center md:px-6">
      <SearchField search={search} onChange={onChange} />
      <div
        role="group"
        aria-label="Filters"
        className="-mx-4 flex gap-2 overflow-x-auto px-4 py-0.5 sm:mx-0 sm:flex-wrap sm:px-0"
      >
        <OrderChoice search={search} onChange={onChange} />
        {access === "operator" || search.signalId !== undefined ? (
          <Chip label="Signal" value={search.signalId ?? ""} onChange={(signalId) => onChange({ signalId })}>
            {search.signalId === undefined || isKnownSignal ? null : (
              <option value={search.signalId}>Signal {search.signalId}</option>
            )}
            {signals.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Chip>
        ) : null}
        {flags.map(([name, yes, no]) => (
          <Chip
            key={name}
            label={yes}
            value={search[name] ?? ""}
            onChange={(value) => onChange({ [name]: value })}
          >
            <option value="true">{yes}: yes</option>
            <option value="false">{no}</option>
          </Chip>
        ))}
        <WindowChip field="created" label="Created" search={search} onChange={onChange} />
        <WindowChip field="updated" label="Updated" search={search} onChange={onChange} />
        {isFiltered ? (
          <button
            type="button"
            className="text-muted hover:text-ink touch:min-h-11 shrink-0 px-1.5 text-sm underline underline-offset-2"
            onClick={() => onChange(cleared)}
          >
            Clear all
          </button>
        ) : null}
      </div>
    </div>
  )
}
