/**
 * The bodies of pages that a store shows again: what was encoded once is written as it is. Of a page with engagements to turn its
 * text into bytes takes longer than all else of the request together.
 */
import { leadListJson, type LeadQuery, type ShownPage } from "@lead-signals/domain"

/** Of a query what its answer says, besides the page. */
const saidOf = ({ engagements, page, sort, warnings }: LeadQuery): string =>
  JSON.stringify([engagements, page, sort, warnings])

export class EncodedPages {
  private readonly encoder = new TextEncoder()
  /** As long as the store keeps the page. */
  private readonly kept = new WeakMap<ShownPage, { readonly said: string; readonly body: Uint8Array }>()

  bodyOf(query: LeadQuery, page: ShownPage): Uint8Array {
    const said = saidOf(query)
    const known = this.kept.get(page)
    if (known?.said === said) return known.body
    const body = this.encoder.encode(leadListJson(query, page))
    this.kept.set(page, { said, body })
    return body
  }
}
