/** The bound on open connections of a server whose settings have none. [ERR-13] */
import * as NodeServer from "@lead-signals/http/node"

/** How many files and sockets this process may have open; infinite where the system has no such limit, or does not tell. */
const openFiles = (): number => {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  // Otherwise the report resolves the host names of all connections.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | "unlimited" } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Infinity
}

/** Half of the files and sockets that the process may have open, which leaves the other half to the store and to webhooks; at most 10,000. */
export const defaultMaxConnections = (): number =>
  Math.max(1, Math.min(NodeServer.defaultMaxConnections, Math.floor(openFiles() / 2)))
