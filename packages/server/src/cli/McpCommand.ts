/** `lead-signals mcp`: the tools of the Model Context Protocol over standard input and output, for an assistant on this machine. */
import { CommandProcess, leaf, usage } from "@lead-signals/command-line"
import { Effect } from "effect"
import { apiKeyVariable, valueOf } from "../Variables.ts"
import { loadSpecification } from "../Specification.ts"
import { exitCodes } from "./ExitCodes.ts"
import { resolveUrl } from "./OperatorClient.ts"
import { url } from "./OperatorCommand.ts"

/** A header takes no other characters. */
const isCredential = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

/** `lead-signals mcp`. Credentials come from the environment alone; standard output has messages alone. */
export const mcpCommand = leaf(
  "mcp",
  {
    summary:
      "Serves an assistant on this machine by the Model Context Protocol, over standard input and output",
    details: [
      "Reads leads with the brand's key in LEAD_SIGNALS_API_KEY. The operator token in LEAD_SIGNALS_OPERATOR_TOKEN adds tools that mark",
      "leads and send events again; without a key it reads, too. No option takes them, since process lists show options.",
      "docs/mcp.md describes the tools."
    ],
    examples: [
      ["LEAD_SIGNALS_API_KEY=lsk_… lead-signals mcp", "what an assistant's configuration starts"],
      ["lead-signals mcp --url https://leads.example", "calls another server"]
    ],
    interrupted: exitCodes.done
  },
  { url },
  (given) =>
    Effect.gen(function* () {
      const { env, stderr } = yield* CommandProcess
      const apiKey = valueOf(env, apiKeyVariable) ?? null
      const operatorToken = valueOf(env, "LEAD_SIGNALS_OPERATOR_TOKEN") ?? null
      const server = yield* resolveUrl(given.url)
      if (apiKey === null && operatorToken === null)
        return yield* usage(
          "Set LEAD_SIGNALS_API_KEY to a brand's key, LEAD_SIGNALS_OPERATOR_TOKEN, or both."
        )
      for (const [name, value] of [
        [apiKeyVariable, apiKey],
        ["LEAD_SIGNALS_OPERATOR_TOKEN", operatorToken]
      ] as const) {
        if (value !== null && !isCredential(value))
          return yield* usage(`${name} takes printable ASCII without spaces.`)
      }
      yield* Effect.promise(async () => {
        const [{ serveOverStdio }, specification] = await Promise.all([
          import("@lead-signals/mcp/stdio"),
          loadSpecification()
        ])
        const options = { url: server, apiKey, operatorToken, specification }
        await serveOverStdio(options, (message) => stderr.write(`${message}\n`))
      })
    })
)
