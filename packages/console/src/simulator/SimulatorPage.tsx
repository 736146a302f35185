/** The simulator: the whole service in this browser, under virtual time, with everything that can go wrong. It calls no server. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type DragEvent, useEffect, useState, useSyncExternalStore } from "react"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Loading } from "../ui/States.tsx"
import { Player } from "./Player.tsx"
import { type Chosen, Dropped, Setup } from "./Setup.tsx"
import { Simulation } from "./Simulation.ts"
import { Verdict } from "./Verdict.tsx"

const from = "/brands/$brandId/simulator"

const commandOf = ({ bug, hours, scenario, seed }: Chosen): string =>
  [
    `./lead-signals simulate ${scenario} --seed ${seed}`,
    ...(hours === "" ? [] : [`--until ${hours}h`]),
    ...(bug === "" ? [] : [`--bug ${bug}`])
  ].join(" ")

const Problem = ({ text }: { readonly text: string }) => (
  <p role="alert" className="bg-danger-soft text-danger rounded-lg px-4 py-3 text-sm whitespace-pre-wrap">
    {text}
  </p>
)

const useSimulation = () => {
  const [simulation] = useState(() => new Simulation())
  useEffect(() => {
    simulation.open()
    return () => simulation.close()
  }, [simulation])
  return [simulation, useSyncExternalStore(simulation.subscribe, simulation.snapshot)] as const
}

/** Sessions of API keys open it, too. Leaving it ends the run. A file can be dropped anywhere on it. */
export const SimulatorPage = () => {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const [simulation, { bugs, dropped, problem, run, scenarios }] = useSimulation()
  const [runs, setRuns] = useState(0)
  const own = dropped?.file.kind === "scenario" ? dropped.file : null

  const start = (chosen: Chosen) => {
    const { bug, hours, scenario, seed } = chosen
    setRuns((before) => before + 1)
    const used = own?.scenario ?? scenarios.find(({ name }) => name === scenario)!
    simulation.start(
      {
        title: `${used.name} · seed ${seed}${bug === "" ? "" : ` · ${bug}`}`,
        bug: bug === "" ? null : bug,
        command: own === null ? commandOf(chosen) : null,
        coverageMarks: used.coverageMarks
      },
      {
        do: "run",
        scenario: own === null ? { name: scenario } : { text: own.text },
        seed: Number(seed),
        hours: hours === "" ? null : Number(hours)
      }
    )
    if (own === null) void navigate({ search: { scenario, seed, bug, hours }, replace: true })
  }
  const replay = (text: string, bug: string | null, title: string) => {
    setRuns((before) => before + 1)
    simulation.start({ title, bug, command: null, coverageMarks: [] }, { do: "replay", text })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const file = event.dataTransfer.files[0]
    if (file !== undefined) void simulation.read(file)
  }

  const content = () => {
    if (problem !== null) return <Problem text={problem} />
    if (scenarios.length === 0) return <Loading />
    return (
      <>
        <Setup
          key={own?.scenario.name ?? ""}
          scenarios={scenarios}
          bugs={bugs}
          own={own?.scenario ?? null}
          initial={{
            scenario: scenarios.some(({ name }) => name === search.scenario) ? search.scenario! : "swarm",
            seed: search.seed ?? "1",
            bug: bugs.some(({ name }) => name === search.bug) ? search.bug! : "",
            hours: search.hours ?? ""
          }}
          isRunning={run?.phase === "running"}
          onRun={start}
          onFile={(file) => void simulation.read(file)}
        />
        {dropped === null ? null : (
          <Dropped dropped={dropped} onForget={() => simulation.forgetFile()} onReplay={replay} />
        )}
        {run === null ? null : (
          <div className="card">
            {run.problem === null ? null : (
              <div className="p-4">
                <Problem text={run.problem} />
              </div>
            )}
            <Player key={runs} run={run} onStop={() => simulation.stop()}>
              <Verdict
                run={run}
                bug={bugs.find(({ name }) => name === run.of.bug)}
                onStopShrinking={() => simulation.stopShrinking()}
                onReplay={(text) => replay(text, run.of.bug, `Replay of ${run.of.title}`)}
              />
            </Player>
          </div>
        )}
      </>
    )
  }
  return (
    <div className="flex grow flex-col" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <PageHeader
        title="Simulator"
        description="The whole service in this browser: people engage, clients read, receivers fail, messages get lost and the process is killed, in virtual time. Rules judge every answer and every post. Your data is not touched."
      />
      <div className="flex flex-col gap-4 px-4 pb-6 md:px-6">{content()}</div>
    </div>
  )
}
