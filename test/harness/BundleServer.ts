/** Once for all tests: the server and its command line as one file, as it is built. It starts in a third of the time. */
import { bundleServer } from "../../scripts/bundle.mjs"
import { bundledServer } from "./BundledServer.ts"

export default async (): Promise<void> => {
  await bundleServer(bundledServer)
}
