/** A process of `simulate bench`: takes the measurement that it is sent the name of. */
import { measurements } from "./Measurements.ts"

process.on("message", (name: string) => {
  process.send!(measurements.get(name)!(name), () => process.exit(0))
})
