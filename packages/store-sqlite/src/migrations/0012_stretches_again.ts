/**
 * Stretches began with leads that were erased or renamed since, and said their names; those that leads had left stayed. All
 * are made anew from the leads that there are, which takes some 10 s a million. [PII-3]
 */
import { type Asking, tellAll } from "../Asking.ts"
import { rebuildStretches } from "./0003_positions.ts"

export const stretchesAgain = (): Asking<void> => tellAll(rebuildStretches(1024))
