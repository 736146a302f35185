/**
 * Functions that judge values by the schemas of one document. They are compiled when they are first asked for; in the bundle for
 * browsers they were compiled before, as a page's policy forbids code that is made at run time.
 */
import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js"

/** The validator of the schema at this place of the document. */
export type ValidatorOf = (pointer: string) => ValidateFunction

/** An Ajv that has the document under the name `openapi`. */
export const ajvOf = (document: object, options: Options = {}): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ...options })
  ajv.addSchema({ $id: "openapi", ...document })
  return ajv
}

/** Takes a JSON pointer into the document, such as `/components/schemas/Lead`. Throws for one that points at no schema. */
export const validatorsOf = (document: object): ValidatorOf => {
  const ajv = ajvOf(document)
  const validators = new Map<string, ValidateFunction>()
  return (pointer) => {
    const existing = validators.get(pointer)
    if (existing !== undefined) return existing
    const made = ajv.compile({ $ref: `openapi#${pointer}` })
    validators.set(pointer, made)
    return made
  }
}
