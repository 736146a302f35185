/** A process of `simulate bench`: takes the measurement that it is sent the name of. */
import { floorMeasurements, measurements } from "./Measurements.ts"

process.on("message", (name: string) => {
  const take = measurements.get(name) ?? floorMeasurements.get(name)!
  process.send!(take(name), () => process.exit(0))
})
