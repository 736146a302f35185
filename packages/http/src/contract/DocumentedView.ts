import type { Schema } from "effect"
import type { PathsOf } from "./PathsOf.ts"

type Undocumented<View, Documented> = Exclude<PathsOf<View>, PathsOf<Documented>>
type Unrendered<View, Documented> = Exclude<PathsOf<Documented>, PathsOf<View>>

/** Any type when the view is what the schema documents, and otherwise one that says why not. */
type Tie<View, Documented> = [Undocumented<View, Documented>] extends [never]
  ? [Unrendered<View, Documented>] extends [never]
    ? [View] extends [Documented]
      ? unknown
      : { readonly "the view has values that the schema does not take": never }
    : { readonly "the schema documents what the view does not render": Unrendered<View, Documented> }
  : { readonly "the view renders what the schema does not document": Undocumented<View, Documented> }

/**
 * The schema itself. It does not compile unless the schema has exactly the fields of the domain's view, and takes each of their
 * values; a schema may take more values than there are today.
 */
export const documents =
  <View>() =>
  <S extends Schema.Schema<any, any>>(schema: S & Tie<View, Schema.Schema.Type<S>>): S =>
    schema
