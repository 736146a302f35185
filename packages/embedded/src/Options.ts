/** The options of `createLeadSignals`, checked before anything is opened: the types say the same to those who have them. */
import { InvalidParameter } from "@lead-signals/domain"
import { Layer } from "effect"

const isText = (value: unknown): boolean => typeof value === "string" && value.length >= 16
const isLimit = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000

interface Rule {
  readonly takes: string
  readonly isRequired?: true
  readonly accepts: (value: unknown) => boolean
}

const rules: Readonly<Record<string, Rule>> = {
  store: {
    takes: "a layer of the store ports, such as MemoryStore.layer or SqliteStore.layer({ filename })",
    isRequired: true,
    accepts: Layer.isLayer
  },
  operatorToken: { takes: "a text of at least 16 characters", accepts: isText },
  requestsPerMinute: { takes: "an integer from 1 to 1000000", accepts: isLimit },
  webhooks: {
    takes: "a layer, such as Webhooks.layer() of @lead-signals/webhook/node",
    accepts: Layer.isLayer
  },
  log: { takes: "a function of one line", accepts: (value) => typeof value === "function" }
}

const refuse = (option: string, message: string): never => {
  throw new InvalidParameter({ parameter: option, message: `createLeadSignals: ${message}` })
}

/** Throws `InvalidParameter` that names the first option which is missing, unknown or of another kind than it takes. */
export const checkOptions = (options: unknown): void => {
  if (typeof options !== "object" || options === null) {
    refuse("options", `takes an object with the option store, which takes ${rules["store"]!.takes}.`)
  }
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name)) {
      refuse(name, `there is no option ${name}; there are ${Object.keys(rules).join(", ")}.`)
    }
  }
  for (const [name, { accepts, isRequired, takes }] of Object.entries(rules)) {
    const value = given[name]
    if (value === undefined) {
      if (isRequired === true) refuse(name, `the option ${name} is required: it takes ${takes}.`)
      continue
    }
    if (accepts(value)) continue
    const isUncalled = typeof value === "function"
    refuse(name, `the option ${name} takes ${takes}${isUncalled ? "; this is a function: call it" : ""}.`)
  }
}
