/**
 * The scope that each call needs, spelled out from the interface's description: the document has what the service's own table says, so that a
 * call which asks for another scope than it should would stay unseen. [OPER-10, AUTH-9]
 */

const byOperation: Readonly<Record<string, ReadonlyArray<string>>> = {
  leads: [
    "GET /signals/leads",
    "GET /signals/changes",
    "GET /signals/leads/{id}",
    "GET /signal-leads",
    "GET /signal-leads/{id}",
    "GET /signals"
  ],
  metrics: ["GET /campaign/{id}/metrics", "GET /campaign/{id}/series", "GET /campaigns"],
  read: [
    "GET /metrics",
    "GET /operator/brands",
    "GET /operator/brands/{brandId}/keys",
    "GET /operator/brands/{brandId}/signals",
    "GET /operator/brands/{brandId}/leads",
    "GET /operator/brands/{brandId}/changes",
    "GET /operator/brands/{brandId}/events",
    "GET /operator/brands/{brandId}/leads/{id}",
    "GET /operator/brands/{brandId}/leads/{id}/export",
    "GET /operator/brands/{brandId}/series/leads",
    "GET /operator/brands/{brandId}/series/engagements",
    "GET /operator/brands/{brandId}/series/deliveries",
    "GET /operator/brands/{brandId}/attention",
    "GET /operator/brands/{brandId}/campaigns",
    "GET /operator/brands/{brandId}/campaigns/{id}/metrics",
    "GET /operator/brands/{brandId}/campaigns/{id}/series",
    "GET /operator/brands/{brandId}/campaigns/{id}/posts"
  ],
  ingest: [
    "POST /operator/brands/{brandId}/observations",
    "PATCH /operator/brands/{brandId}/leads/{id}",
    "PUT /operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}"
  ],
  webhooks: [
    "POST /operator/brands/{brandId}/webhooks",
    "GET /operator/brands/{brandId}/webhooks",
    "GET /operator/brands/{brandId}/webhooks/{id}",
    "PATCH /operator/brands/{brandId}/webhooks/{id}",
    "DELETE /operator/brands/{brandId}/webhooks/{id}",
    "POST /operator/brands/{brandId}/webhooks/{id}/rotate-secret",
    "POST /operator/brands/{brandId}/webhooks/{id}/test",
    "POST /operator/brands/{brandId}/webhooks/{id}/recover",
    "GET /operator/brands/{brandId}/webhooks/{id}/deliveries",
    "GET /operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}",
    "POST /operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}/resend",
    "POST /operator/brands/{brandId}/leads/{id}/resend"
  ],
  admin: [
    "POST /operator/brands",
    "PATCH /operator/brands/{brandId}",
    "DELETE /operator/brands/{brandId}",
    "POST /operator/brands/{brandId}/keys",
    "DELETE /operator/brands/{brandId}/keys/{keyId}",
    "POST /operator/brands/{brandId}/signals",
    "PATCH /operator/brands/{brandId}/signals/{id}",
    "DELETE /operator/brands/{brandId}/signals/{id}",
    "DELETE /operator/brands/{brandId}/leads/{id}",
    "POST /operator/brands/{brandId}/campaigns",
    "PATCH /operator/brands/{brandId}/campaigns/{id}",
    "DELETE /operator/brands/{brandId}/campaigns/{id}",
    "POST /operator/tokens",
    "GET /operator/tokens",
    "DELETE /operator/tokens/{tokenId}",
    "GET /operator/audit"
  ]
}

const scopes: ReadonlyMap<string, string> = new Map(
  Object.entries(byOperation).flatMap(([scope, operations]) =>
    operations.map((name) => [name, scope] as const)
  )
)

/** Scopes as good as the one that the document names. [OPER-10] */
const otherScopes: Readonly<Record<string, string>> = { "GET /metrics": "metrics" }

/** The scope that a call needs; null where it needs none. A `HEAD` needs what its `GET` does. */
export const requiredScope = (method: string, route: string): string | null =>
  scopes.get(`${method === "HEAD" ? "GET" : method} ${route}`) ?? null

/** The scopes each of which opens the call; none where it needs none. */
export const openingScopes = (method: string, route: string): ReadonlyArray<string> => {
  const scope = requiredScope(method, route)
  const other = otherScopes[`${method === "HEAD" ? "GET" : method} ${route}`]
  return [...(scope === null ? [] : [scope]), ...(other === undefined ? [] : [other])]
}
