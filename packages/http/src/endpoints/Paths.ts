/** Parameters of paths, with their descriptions. */
import { Option, Schema, SchemaAST } from "effect"
import type { FieldDescription } from "../contract/FieldDescriptions.ts"

const described: unique symbol = Symbol.for("@lead-signals/http/PathParameterDescription")

/** A parameter of a path: any text, which the use case reads. `jsonSchema` describes what it takes where that is less. */
export const pathParameter = (description: string, example: unknown, jsonSchema?: object) =>
  Schema.String.annotations({
    [described]: [description, example],
    ...(jsonSchema === undefined ? {} : { jsonSchema })
  })

/** The descriptions of the parameters of a path, by their names. */
export const pathDescriptionsOf = (schema: Schema.Schema.All): Readonly<Record<string, FieldDescription>> =>
  Object.fromEntries(
    SchemaAST.getPropertySignatures(schema.ast).flatMap(({ name, type }) =>
      Option.toArray(
        Option.map(
          SchemaAST.getAnnotation<FieldDescription>(described)(type),
          (found) => [String(name), found] as const
        )
      )
    )
  )

const brandId = pathParameter("The brand's id", "1")

/** /operator/brands/:brandId. Any text is taken: what is no id of a brand is answered 404. */
export const ofBrand = Schema.Struct({ brandId })

const ofBrandAnd = (id: ReturnType<typeof pathParameter>) => Schema.Struct({ brandId, id })

/** A key of the brand. */
export const ofKey = Schema.Struct({ brandId, keyId: pathParameter("The key's id", "3") })
/** An operator's token, which belongs to no brand. */
export const ofOperatorToken = Schema.Struct({ tokenId: pathParameter("The token's id", "3") })
/** A signal of the brand. */
export const ofSignal = ofBrandAnd(pathParameter("The signal's id", "1"))
/** A lead of the brand. */
export const ofLead = ofBrandAnd(pathParameter("The lead's id", "41"))
/** A campaign of the brand. */
export const ofCampaign = ofBrandAnd(pathParameter("The campaign's id", "1"))
/** A webhook of the brand. */
export const ofWebhook = ofBrandAnd(pathParameter("The webhook's id", "1"))
/** A delivery of the brand's webhook; the id is that of its event, and not a number. */
export const ofDelivery = Schema.Struct({
  ...ofWebhook.fields,
  deliveryId: pathParameter("The delivery's id", "wh_5f0c")
})
