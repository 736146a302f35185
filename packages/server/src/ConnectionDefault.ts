/** How many connections a server has open at once unless it is told. [ERR-13] */
import * as NodeServer from "@lead-signals/http/node"

/** How many files and sockets this process may have open; infinite where the system has no such limit, or does not tell. */
const openFiles = (): number => {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  // Else the report looks for the names of whoever is connected.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | "unlimited" } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Infinity
}

/** Half of what the process may have open, so that the store and webhooks have theirs, and at most what the HTTP server takes by itself. */
export const defaultMaxConnections = (): number =>
  Math.max(1, Math.min(NodeServer.defaultMaxConnections, Math.floor(openFiles() / 2)))
