/** Parameters of the operator's paths; what an id is of, the document says by the path. */
import { Schema } from "effect"

export const ofBrand = Schema.Struct({ brandId: Schema.String })
export const ofBrandAndId = Schema.Struct({ brandId: Schema.String, id: Schema.String })
