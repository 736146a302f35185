/** The bugs that were planted into this bundle, each to be switched on by the name of its worker. `BrowserBundle.ts` fills the list in. */
import type { OfferedBug } from "./Messages.ts"

/** Empty here: the bundler replaces this module. */
export const plantedBugs: ReadonlyArray<OfferedBug> = []
