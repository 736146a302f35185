/** `lead-signals leads set`. */
import * as Options from "@effect/cli/Options"
import { leaf, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { id } from "./LeadOptions.ts"
import { brand, calling, flagOption, operatorOptions, pathOf, printResource } from "./OperatorCommand.ts"

const score = Options.text("score").pipe(
  Options.withDescription("The score, a number; none takes it away"),
  Options.filterMap((text) => {
    const score = Number(text)
    if (text === "none") return Option.some(null)
    return text.trim() !== "" && Number.isFinite(score) ? Option.some(score) : Option.none()
  }, "--score takes a number, or none."),
  Options.optional
)

/** `lead-signals leads set`. Without any of its four options it is a mistake of use. */
export const leadSetCommand = leaf(
  "set",
  {
    summary: "Sets flags and score of a lead; what is not named stays",
    examples: [["lead-signals leads set 41 --qualified true --score 8.5 --brand 2", ""]]
  },
  {
    id,
    brand,
    qualified: flagOption("qualified", "Whether the brand calls the lead qualified"),
    exported: flagOption("exported", "Whether the lead was taken over into another system"),
    employee: flagOption("employee", "Whether the lead works for the brand itself"),
    score,
    ...operatorOptions
  },
  calling((call, given) =>
    Effect.gen(function* () {
      const flags = { qualified: given.qualified, exported: given.exported, isEmployee: given.employee }
      const body = {
        ...Object.fromEntries(
          Object.entries(flags).flatMap(([name, flag]) =>
            Option.isSome(flag) ? [[name, flag.value === "true"]] : []
          )
        ),
        ...(Option.isSome(given.score) ? { score1: given.score.value } : {})
      }
      if (Object.keys(body).length === 0)
        return yield* usage("Nothing to set: --qualified, --exported, --employee or --score is required.")
      return printResource(({ exported, id, isEmployee, qualified, score1 }) => {
        const flag = (name: string, isSet: boolean): string => `${isSet ? "" : "not "}${name}`
        return `Lead ${id} is ${flag("qualified", qualified)}, ${flag("exported", exported)}, ${flag("an employee", isEmployee)}, score ${score1 ?? "none"}.`
      })(yield* call("PATCH", pathOf(given.brand, "leads", given.id), body))
    })
  )
)
