/** `lead-signals leads erase`. */
import * as Options from "@effect/cli/Options"
import { CommandProcess, Failed, leaf, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { createInterface } from "node:readline/promises"
import { stripControlCharacters } from "../UntrustedText.ts"
import { id } from "./LeadOptions.ts"
import { brand, calling, operatorOptions, pathOf } from "./OperatorCommand.ts"

const confirm = Options.text("confirm").pipe(
  Options.withDescription("The lead's id again, to confirm; on a terminal it can be typed"),
  Options.optional
)

/** What the person at the terminal types. Null: they ended the input. */
const typedAt = (question: string): Effect.Effect<string | null, never> =>
  Effect.flatMap(CommandProcess, ({ stderr, stdin }) =>
    Effect.async<string | null>((resume) => {
      stderr.write(question)
      // Only a terminal comes here, and a terminal is a stream.
      const lines = createInterface({ input: stdin as NodeJS.ReadableStream })
      lines.once("line", (line) => {
        resume(Effect.succeed(line.trim()))
        lines.close()
      })
      lines.once("close", () => resume(Effect.succeed(null)))
      return Effect.sync(() => lines.close())
    })
  )

/** `lead-signals leads erase`. Without a terminal it needs --confirm, and fails otherwise. [PII-3] */
export const leadEraseCommand = leaf(
  "erase",
  {
    summary: "Erases a person: the lead, its engagements, events and deliveries",
    details: [
      "Nothing brings the person back. A keyed hash stays, by which the brand refuses later observations of the person. Copies elsewhere",
      "stay: backups, your CRM, receivers of webhooks. The lead's id confirms it, typed on a terminal or with --confirm. A name does",
      "not: it would stay in the shell's history and stand in the list of processes."
    ],
    examples: [["lead-signals leads erase 41 --confirm 41 --brand 2", "in a script"]]
  },
  { id, brand, confirm, ...operatorOptions },
  calling((call, given) =>
    Effect.gen(function* () {
      const { stderr, stdin } = yield* CommandProcess
      const path = pathOf(given.brand, "leads", given.id)
      const mismatch = `--confirm takes the lead's id again, ${stripControlCharacters(given.id)}.`
      if (Option.isSome(given.confirm)) {
        if (given.confirm.value !== given.id) return yield* usage(mismatch)
      } else {
        if (stdin.isTTY !== true) return yield* usage(mismatch)
        const { data } = yield* call("GET", path)
        const about = [data.name, data.headline, data.leadCompany?.name].filter(Boolean).join(", ")
        stderr.write(`Lead ${data.id}: ${stripControlCharacters(about)}\nNothing brings the person back.\n`)
        const typed = yield* typedAt(`Type the lead's id, ${data.id}, to erase the person: `)
        if (typed !== String(data.id))
          return yield* new Failed({ message: "That is not the lead's id. Nothing was erased." })
      }
      yield* call("DELETE", path)
      return { value: { id: given.id, erased: true }, text: `Lead ${given.id} is erased.` }
    })
  )
)
