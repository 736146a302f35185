/** What clients get wrong, and what the answer must say. */
import type { KnownBrand } from "../world/KnownFacts.ts"
import type { Ask } from "./ActorContext.ts"

interface BadInput extends Pick<Ask, "method" | "route" | "params" | "query" | "body"> {
  readonly status: number
  readonly code: string
  /** What the message must name; null where there is nothing to name. */
  readonly names: string | null
}

const invalid = { status: 400, code: "invalid_parameter" }

const list = (query: string, names: string) => (): BadInput => ({
  route: "/signals/leads",
  query,
  ...invalid,
  names
})

const observed = (observation: unknown) => (brand: KnownBrand) => ({
  method: "POST" as const,
  route: "/operator/brands/{brandId}/observations",
  params: { brandId: brand.id },
  body: observation
})

export const badInputs: ReadonlyArray<(brand: KnownBrand) => BadInput> = [
  list("page=0", "page"),
  list("page=-1", "page"),
  list("pageSize=0", "pageSize"),
  list("pageSize=2.5", "pageSize"),
  list("pageSize=", "pageSize"),
  list("page=1&page=2", "page"),
  list("qualified=yes", "qualified"),
  list("exported=", "exported"),
  list("isEmployee=1", "isEmployee"),
  list("signalId=x", "signalId"),
  list("signalId=0", "signalId"),
  list(`search=${"x".repeat(201)}`, "search"),
  list("sort=createdAt", "sort"),
  list("sort=CreatedAt:asc", "sort"),
  list("sort=name:up", "sort"),
  list("sort=name:asc:desc", "sort"),
  list("createdAfter=1767600000", "createdAfter"),
  list("createdBefore=2026-13-01", "createdBefore"),
  list("updatedAfter=2026-02-30", "updatedAfter"),
  list("updatedBefore=2026-01-05T24:00:00Z", "updatedBefore"),
  list("updatedBefore=2026-01-05T10:00:60Z", "updatedBefore"),
  list("updatedAfter=2026-01-05Z", "updatedAfter"),
  list("updatedAfter=2026-01-05T10:00:00%2B24:00", "updatedAfter"),
  list("createdAfter=2026-01-05T10:00:00.5Z", "createdAfter"),
  list("createdAfter=", "createdAfter"),
  list("createdAfter=2026-01-05T10:00:00 02:00".replace(/ /g, "%20"), "%2B"),
  () => ({ route: "/signals/leads/{id}", params: { id: "abc" }, ...invalid, names: "id" }),
  () => ({ route: "/signals/leads/{id}", params: { id: "0" }, ...invalid, names: "id" }),
  () => ({
    route: "/signals/leads/{id}",
    params: { id: 999_999_999 },
    status: 404,
    code: "not_found",
    names: null
  }),
  (brand) => ({
    route: "/campaign/{id}/metrics",
    params: { id: brand.campaignId },
    query: "startDate=2026-01-32",
    ...invalid,
    names: "startDate"
  }),
  (brand) => ({
    route: "/campaign/{id}/metrics",
    params: { id: brand.campaignId },
    query: "startDate=2026-01-05&endDate=2026-01-04",
    ...invalid,
    names: "startDate"
  }),
  () => ({
    route: "/campaign/{id}/metrics",
    params: { id: "999999" },
    status: 404,
    code: "not_found",
    names: null
  }),
  (brand) => ({ ...observed({ observation: [] })(brand), ...invalid, names: "observation" }),
  (brand) => ({ ...observed({ observations: {} })(brand), ...invalid, names: "observations" }),
  (brand) => ({
    method: "POST",
    route: "/operator/brands/{brandId}/keys",
    params: { brandId: brand.id },
    body: { label: "" },
    ...invalid,
    names: "label"
  }),
  (brand) => ({
    method: "POST",
    route: "/operator/brands/{brandId}/keys",
    params: { brandId: brand.id },
    body: { label: "x", requestsPerMinute: 0 },
    ...invalid,
    names: "requestsPerMinute"
  }),
  (brand) => ({
    method: "POST",
    route: "/operator/brands/{brandId}/webhooks",
    params: { brandId: brand.id },
    body: { url: "https://receiver.example/", events: ["lead.created"] },
    ...invalid,
    names: "events"
  }),
  () => ({
    method: "POST",
    route: "/operator/brands/{brandId}/campaigns",
    params: { brandId: "999" },
    body: { name: "x" },
    status: 404,
    code: "not_found",
    names: null
  })
]
