/** The way of a new brand from its first signal to its first verified webhook. It goes once all is done, or is hidden. */
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { IconButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { notify } from "../ui/toasts.tsx"

/** How many there are of each. */
export interface ChecklistFacts {
  readonly signals: number
  readonly leads: number
  readonly keys: number
  readonly usedKeys: number
  readonly webhooks: number
  readonly delivered: number
}

interface Step {
  readonly isDone: boolean
  readonly title: string
  readonly text: ReactNode
  readonly to: "signals" | "import" | "settings/keys" | "settings/webhooks"
}

const stepsOf = ({
  delivered,
  keys,
  leads,
  signals,
  usedKeys,
  webhooks
}: ChecklistFacts): ReadonlyArray<Step> => [
  {
    isDone: signals > 0,
    title: "Create a signal",
    text: "Say what the brand watches: a rival's page, a person, a post or words.",
    to: "signals"
  },
  {
    isDone: leads > 0,
    title: "Send observations",
    text: "Import a file of what was seen, or have your collector post it.",
    to: "import"
  },
  {
    isDone: keys > 0,
    title: "Create an API key",
    text: "For the program, or the colleague, that reads the leads.",
    to: "settings/keys"
  },
  {
    isDone: usedKeys > 0,
    title: "Read leads with the key",
    text: "The button curl on Leads has the call.",
    to: "settings/keys"
  },
  {
    isDone: webhooks > 0,
    title: "Create a webhook",
    text: "Your system hears of each new lead and engagement.",
    to: "settings/webhooks"
  },
  {
    isDone: delivered > 0,
    title: "Get the first event delivered",
    text: "Open the webhook and send a test: it says what your receiver answered.",
    to: "settings/webhooks"
  }
]

/** The brands whose list this browser hides. */
const storageKey = "checklist.hidden"

const hiddenBrands = (): ReadonlyArray<string> => (localStorage.getItem(storageKey) ?? "").split(",")

const useHidden = (brandId: string): readonly [boolean, (isHidden: boolean) => void] => {
  const [isHidden, setHidden] = useState(() => hiddenBrands().includes(brandId))
  const change = (next: boolean) => {
    const others = hiddenBrands().filter((id) => id !== "" && id !== brandId)
    localStorage.setItem(storageKey, [...others, ...(next ? [brandId] : [])].join(","))
    setHidden(next)
  }
  return [isHidden, change]
}

/**
 * Six steps with links, shown until all are done or this browser hides them for the brand; a note takes the hiding back. Shown to sessions that may
 * do every step.
 */
export const Checklist = ({
  brandId,
  facts
}: {
  readonly brandId: string
  readonly facts: ChecklistFacts
}) => {
  const steps = stepsOf(facts)
  const done = steps.filter(({ isDone }) => isDone).length
  const [isHidden, setHidden] = useHidden(brandId)
  if (done === steps.length || isHidden) return null
  const hide = () => {
    setHidden(true)
    notify("The list of what to do next is hidden", () => setHidden(false))
  }
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <section aria-labelledby="checklist" className="card p-4">
      <div className="mb-3 flex items-center gap-3">
        <h2 id="checklist" className="grow text-sm font-semibold">
          Set up this brand
        </h2>
        <progress
          aria-label="Set up"
          max={steps.length}
          value={done}
          className="accent-accent h-2 w-28 max-sm:hidden"
        />
        <p className="text-muted text-xs whitespace-nowrap tabular-nums">
          {done} of {steps.length}
        </p>
        <IconButton icon="close" label="Hide the list" className="-my-2 -mr-2" onClick={hide} />
      </div>
      <ol className="grid gap-x-6 md:grid-cols-2 xl:grid-cols-3">
        {steps.map((step) => (
          <li key={step.title}>
            <Link
              to={`/brands/$brandId/${step.to}`}
              params={{ brandId }}
              className={`hover:bg-sunken touch:py-3 -mx-2 flex items-start gap-2.5 rounded-md px-2 py-2 text-sm ${step.isDone ? "text-muted" : ""}`}
            >
              <span
                className={`mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border ${step.isDone ? "bg-accent border-accent text-on-accent" : step === next ? "border-accent" : "border-edge"}`}
              >
                {step.isDone ? <Icon name="check" className="size-3" /> : null}
              </span>
              <span>
                <span className={`font-medium ${step.isDone ? "line-through" : ""}`}>{step.title}</span>
                <span className="sr-only">{step.isDone ? " (done)" : ""}</span>
                {step.isDone ? null : <span className="text-muted block text-xs">{step.text}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
