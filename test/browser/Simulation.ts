/** What the browser runs: a short simulation, in a worker as a page would, so that the page goes on. */
import { scenarioNamed, simulate } from "@lead-signals/simulations"

onmessage = ({
  data
}: MessageEvent<{ readonly scenario: string; readonly seed: number; readonly hours: number }>) => {
  const { digest, outcome } = simulate(scenarioNamed(data.scenario)!, data.seed, { hours: data.hours })
  postMessage({ digest, outcome })
}
