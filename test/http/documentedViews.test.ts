/** The compiler ties documented schemas to the domain's views: `tsc` fails where an expected error is missing. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { documents } from "@lead-signals/http/internal"

interface View {
  readonly id: string
  readonly company: { readonly name: string | null } | null
}

const company = Schema.NullOr(Schema.Struct({ name: Schema.NullOr(Schema.String) }))

describe("a documented schema", () => {
  it("is one that has the fields of the view and takes their values [VER-1]", () => {
    const schema = Schema.Struct({ id: Schema.NullOr(Schema.String), company })
    expect(documents<View>()(schema)).toBe(schema)
  })

  it("does not compile without a field of the view, with one more, or with another type [VER-1]", () => {
    const without = Schema.Struct({ company })
    // @ts-expect-error -- id is rendered and not documented
    documents<View>()(without)
    const more = Schema.Struct({
      id: Schema.String,
      company: Schema.NullOr(Schema.Struct({ name: Schema.NullOr(Schema.String), city: Schema.String }))
    })
    // @ts-expect-error -- company.city is documented and not rendered
    documents<View>()(more)
    const optional = Schema.Struct({ id: Schema.String, company, page: Schema.optional(Schema.String) })
    // @ts-expect-error -- page is documented and not rendered
    documents<View>()(optional)
    const narrower = Schema.Struct({
      id: Schema.String,
      company: Schema.Struct({ name: Schema.NullOr(Schema.String) })
    })
    // @ts-expect-error -- company may be null
    documents<View>()(narrower)
    expect(narrower).not.toBe(without)
  })
})
