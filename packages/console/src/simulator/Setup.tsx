/** What to simulate: a scenario, a seed, a planted bug, or a file. */
import type { OfferedBug, OfferedScenario } from "@lead-signals/simulations/browser"
import { type FormEvent, useId, useState } from "react"
import { Button, buttonClass } from "../ui/Button.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import type { DroppedFile } from "./Simulation.ts"

/** The fields as they are typed. `bug` is empty for none, `hours` for those of the scenario. */
export interface Chosen {
  readonly scenario: string
  readonly seed: string
  readonly bug: string
  readonly hours: string
}

interface SetupProps {
  readonly scenarios: ReadonlyArray<OfferedScenario>
  readonly bugs: ReadonlyArray<OfferedBug>
  /** A scenario of a file takes the place of those that there are. */
  readonly own: OfferedScenario | null
  readonly initial: Chosen
  readonly isRunning: boolean
  readonly onRun: (chosen: Chosen) => void
  readonly onFile: (file: File) => void
}

const maxSeed = 2 ** 31 - 1

const byPlace = (bugs: ReadonlyArray<OfferedBug>) =>
  [...Map.groupBy(bugs, ({ file }) => file.split("/")[1]!)].sort(([a], [b]) => (a < b ? -1 : 1))

/** Choosing a planted bug chooses its scenario, too. A scenario of a file replaces the list. */
export const Setup = ({ bugs, initial, isRunning, onFile, onRun, own, scenarios }: SetupProps) => {
  const [chosen, setChosen] = useState(initial)
  const fileId = useId()
  const set = (change: Partial<Chosen>) => setChosen((before) => ({ ...before, ...change }))
  const scenario = own ?? scenarios.find(({ name }) => name === chosen.scenario)
  const bug = bugs.find(({ name }) => name === chosen.bug)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onRun(chosen)
  }
  return (
    <form onSubmit={submit} className="card flex flex-col gap-3 p-4" aria-label="What to simulate">
      <div className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1fr_2fr]">
        {own === null ? (
          <SelectField
            label="Scenario"
            value={chosen.scenario}
            onChange={(event) => set({ scenario: event.target.value })}
          >
            {scenarios.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        ) : (
          <SelectField label="Scenario" value="" disabled>
            <option value="">{own.name} (your file)</option>
          </SelectField>
        )}
        <TextField
          label="Seed"
          type="number"
          required
          min={0}
          max={maxSeed}
          step={1}
          value={chosen.seed}
          onChange={(event) => set({ seed: event.target.value })}
        />
        <TextField
          label="Hours"
          type="number"
          min={0.01}
          max={8784}
          step="any"
          placeholder={String(scenario?.hours ?? "")}
          value={chosen.hours}
          onChange={(event) => set({ hours: event.target.value })}
        />
        <SelectField
          label="Planted bug"
          value={chosen.bug}
          onChange={(event) => {
            const next = bugs.find(({ name }) => name === event.target.value)
            // Its own scenario shows it soonest.
            set({ bug: event.target.value, ...(next === undefined ? {} : { scenario: next.scenario }) })
          }}
        >
          <option value="">None: the code as it is</option>
          {byPlace(bugs).map(([place, group]) => (
            <optgroup key={place} label={place}>
              {group.map(({ about, name }) => (
                <option key={name} value={name}>
                  {name}: {about}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
      </div>
      <p className="text-muted max-w-3xl text-sm">
        {scenario?.about}
        {bug === undefined ? "" : ` The planted bug: ${bug.about}.`}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" icon="play">
          {isRunning ? "Run this instead" : "Run"}
        </Button>
        <label
          htmlFor={fileId}
          className={`${buttonClass()} focus-within:outline-accent focus-within:outline-2 focus-within:outline-offset-2`}
        >
          Open a file …
          <input
            id={fileId}
            type="file"
            accept=".json,application/json"
            className="sr-only"
            onChange={(event) => {
              const file = event.target.files?.[0]
              if (file !== undefined) onFile(file)
              event.target.value = ""
            }}
          />
        </label>
        <p className="text-muted text-xs">
          A scenario of your own, or the counterexample of a run. You can also drop it anywhere on this page.
        </p>
      </div>
    </form>
  )
}

/** What a file is, and what can be done with it. */
export const Dropped = ({
  dropped: { file, name },
  onForget,
  onReplay
}: {
  readonly dropped: DroppedFile
  readonly onForget: () => void
  readonly onReplay: (text: string, bug: string | null, title: string) => void
}) => (
  <section aria-label="Your file" className="card flex flex-col gap-2 p-4 text-sm">
    <h2 className="font-semibold break-all">{name}</h2>
    {file.kind === "scenario" ? (
      <p>It is a scenario: choose a seed above, and run it.</p>
    ) : file.kind === "counterexample" ? (
      <>
        <p>
          It is a counterexample of {file.scenario}, seed {file.seed}
          {file.bug === null ? "" : `, with the planted bug ${file.bug}`}. It breaks the rule “{file.rule}”.
        </p>
        <pre tabIndex={0} className="bg-sunken max-h-60 overflow-auto rounded-md p-2 font-mono text-xs">
          {file.lines.join("\n")}
        </pre>
      </>
    ) : (
      <div role="alert">
        <p className="text-danger">It is neither a scenario nor a counterexample:</p>
        <ul className="list-disc pl-5">
          {file.problems.map((problem) => (
            <li key={problem} className="wrap-anywhere">
              {problem}
            </li>
          ))}
        </ul>
      </div>
    )}
    <div className="flex gap-2">
      {file.kind === "counterexample" ? (
        <Button look="primary" icon="play" onClick={() => onReplay(file.text, file.bug, name)}>
          Replay it
        </Button>
      ) : null}
      <Button onClick={onForget}>Put it away</Button>
    </div>
  </section>
)
