/** Loads what speaks the Model Context Protocol: at the first message, so that a start does not wait for it. */
import type { McpService } from "@lead-signals/http"
import { loadSpecification } from "./Specification.ts"

/** The service that answers messages to `/mcp`. */
export const loadMcp = async (): Promise<McpService> => {
  const [{ makeMcpService }, specification] = await Promise.all([
    import("@lead-signals/mcp"),
    loadSpecification()
  ])
  return makeMcpService(specification)
}
