/** How the run ended: the outcome, the rule that broke, the digest, and the counterexample. */
import type { Finished, OfferedBug } from "@lead-signals/simulations/browser"
import { Button } from "../ui/Button.tsx"
import { CopyButton } from "../ui/Copy.tsx"
import { Icon } from "../ui/Icon.tsx"
import { saveText } from "../ui/saveFile.ts"
import { Compared } from "./Compared.tsx"
import { lengthText } from "./describe.ts"
import { PlantedChange } from "./PlantedChange.tsx"
import type { Run } from "./Simulation.ts"

const titles = {
  passed: "Every rule held",
  violated: "A rule broke",
  livelocked: "Something that was owed never came"
} as const

const replayTexts = {
  same: "The counterexample breaks the same rule again.",
  passed:
    "The same steps, and the rule holds: what the counterexample shows is mended, or its bug is not planted.",
  other: "Another rule breaks than in the counterexample.",
  parted: "The run parts from the recorded steps: the counterexample no longer applies to this code."
} as const

const Figures = ({ finished: { counts, seconds } }: { readonly finished: Finished }) => {
  const figures = [
    ["Virtual time", lengthText(counts.simulatedSeconds * 1000)],
    ["Real time", `${seconds.toFixed(1)} s`],
    ...(["actions", "requests", "posts", "faults", "kills"] as const).map(
      (name) => [name, counts[name].toLocaleString("en")] as const
    )
  ]
  return (
    <dl className="grid grid-cols-3 gap-x-4 gap-y-2 sm:grid-cols-7">
      {figures.map(([name, value]) => (
        <div key={name} className="flex flex-col-reverse">
          <dt className="text-muted text-xs first-letter:uppercase">{name}</dt>
          <dd className="text-sm font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface VerdictProps {
  readonly run: Run
  readonly bug: OfferedBug | undefined
  readonly onStopShrinking: () => void
  readonly onReplay: (text: string) => void
}

const Counterexample = ({
  onStopShrinking,
  onReplay,
  run: { shrinking, small }
}: Omit<VerdictProps, "bug">) => {
  if (small !== null)
    return (
      <section aria-label="Counterexample" className="flex flex-col gap-2">
        <h3 className="text-sm font-semibold">
          The counterexample: {small.actions} {small.actions === 1 ? "action" : "actions"}, {small.faults}{" "}
          {small.faults === 1 ? "fault" : "faults"}
        </h3>
        <p className="text-muted text-sm">
          In {small.runs} runs the simulator left out everything that the failure does not need.{" "}
          <code>!</code> marks what goes wrong.
        </p>
        <pre tabIndex={0} className="bg-sunken max-h-80 overflow-auto rounded-md p-2 font-mono text-xs">
          {small.lines.join("\n")}
        </pre>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" icon="play" onClick={() => onReplay(small.text)}>
            Replay it
          </Button>
          <Button icon="download" onClick={() => saveText(small.fileName, "application/json", small.text)}>
            Save the file
          </Button>
        </div>
      </section>
    )
  return (
    <div className="flex flex-wrap items-center gap-3">
      <progress aria-label="Shrinking" className="w-32" />
      <p className="text-muted grow text-sm">
        {shrinking === null
          ? "Making the counterexample small …"
          : `Making the counterexample small: ${shrinking.runs} runs, ${shrinking.actions} actions and ${shrinking.faults} faults are left`}
      </p>
      <Button onClick={onStopShrinking}>Take it as it is</Button>
    </div>
  )
}

const Digest = ({ digest }: { readonly digest: string }) => (
  <div>
    <h3 className="text-muted text-xs">Digest of the history, the same on every machine</h3>
    <div className="flex flex-wrap items-center gap-2">
      <code data-digest="" className="min-w-0 grow font-mono text-xs break-all">
        {digest}
      </code>
      <CopyButton text={digest} label="Copy the digest" />
    </div>
  </div>
)

/** Nothing until the run has ended. A run that broke a rule is shrunk here, until it is small or "Take it as it is" is pressed. */
export const Verdict = ({ bug, onStopShrinking, onReplay, run }: VerdictProps) => {
  const { finished, of } = run
  if (finished === null) return null
  const { broken, digest, outcome, replayed } = finished
  const isGood = outcome === "passed"
  return (
    <section aria-label="Outcome" className="border-line flex flex-col gap-4 border-t px-4 py-4">
      <div role="status">
        <h2 className={`flex items-center gap-2 font-semibold ${isGood ? "text-accent" : "text-danger"}`}>
          <Icon name={isGood ? "check" : "alert"} />
          {titles[outcome]}
          {broken === null ? "" : `: ${broken.rule}`}
        </h2>
        {replayed === null ? null : <p className="mt-1 text-sm">{replayTexts[replayed.replayed]}</p>}
      </div>
      {broken === null ? null : (
        <div className="flex flex-col gap-2">
          {broken.demands === null ? null : <p className="max-w-3xl text-sm">{broken.demands}</p>}
          {broken.compared === null ? (
            <p className="text-sm wrap-anywhere">{broken.message}</p>
          ) : (
            <>
              <p className="text-muted text-xs wrap-anywhere">{broken.message}</p>
              <Compared rows={broken.compared} />
            </>
          )}
        </div>
      )}
      {bug === undefined ? null : <PlantedChange bug={bug} />}
      {isGood || replayed !== null ? null : (
        <Counterexample run={run} onStopShrinking={onStopShrinking} onReplay={onReplay} />
      )}
      <Figures finished={finished} />
      <Digest digest={digest} />
      {of.command === null ? null : (
        <div>
          <h3 className="text-muted text-xs">In a terminal</h3>
          <div className="flex flex-wrap items-center gap-2">
            <code className="min-w-0 grow font-mono text-xs break-all">{of.command}</code>
            <CopyButton text={of.command} label="Copy the command" />
          </div>
        </div>
      )}
    </section>
  )
}
