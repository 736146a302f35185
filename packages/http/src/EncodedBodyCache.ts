import { leadListJson, type LeadQuery, type RenderedPage } from "@lead-signals/domain"
import { warningsOf } from "./contract/Suggestions.ts"

/** What the body of a query says besides the page. */
const variantOf = ({ engagements, page, sort }: LeadQuery, warnings: ReadonlyArray<string>): string =>
  JSON.stringify([engagements, page, sort, warnings])

/**
 * The UTF-8 bodies of pages that a store hands out repeatedly, the last one of each page. Encoding a page with engagements takes
 * longer than the rest of its request together.
 */
export class EncodedBodyCache {
  private readonly encoder = new TextEncoder()
  /** An entry lives as long as the store keeps its page. */
  private readonly entries = new WeakMap<
    RenderedPage,
    { readonly variant: string; readonly body: Uint8Array }
  >()

  bodyOf(query: LeadQuery, page: RenderedPage): Uint8Array {
    const warnings = warningsOf(query.ignored)
    const variant = variantOf(query, warnings)
    const entry = this.entries.get(page)
    if (entry?.variant === variant) return entry.body
    const body = this.encoder.encode(leadListJson(query, page, warnings))
    this.entries.set(page, { variant, body })
    return body
  }
}
