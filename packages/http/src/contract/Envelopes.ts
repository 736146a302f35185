/** How answers carry what they are about. */
import { Schema } from "effect"

export const data = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Struct({ data: schema })

export const list = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Struct({ data: Schema.Array(schema) })

export const created = { status: 201 }
export const accepted = { status: 202 }
