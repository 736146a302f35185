/** What the pages read, with the keys under which the cache has it. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { answerOf, api, type Session } from "./client.ts"
import type { operations } from "./contract.ts"

/** Whose calls a page makes: the operator API, or with a key's session the API of one brand. */
export type Access = Session["access"]

type Parameters<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>

/** Parameters as a URL has them: numbers and flags may be texts, and the API says what is wrong with one. */
type Written<Query> = { readonly [Name in keyof Query]?: Query[Name] | string }

/** The parameters of a list of leads. */
export type LeadQuery = Written<Parameters<"listLeads">>

/** One page of leads with its pagination. Both APIs answer it alike. */
export type LeadPage = operations["listLeads"]["responses"][200]["content"]["application/json"]

/** Filters and page of a list of deliveries, as texts: they come from the URL. */
export type DeliveryQuery = Written<Parameters<"webhooks.listDeliveries">>

/** Invalidated when a brand is created. */
export const brandsKey = ["brands"] as const

/** All brands that the token reaches. It needs the scope `read`; pages that may lack it pass `enabled`. */
export const brandsQuery = queryOptions({
  queryKey: brandsKey,
  queryFn: async () => (await answerOf(api.GET("/operator/brands"))).data
})

/** Everything about one brand lies below this key. */
const ofBrand = (brandId: string) => ["brand", brandId] as const

/** Every list and count of leads of the brand lies below it. Invalidated by whatever changes a lead, an import among them. */
export const leadsKey = (brandId: string) => [...ofBrand(brandId), "leads"] as const

/** A page of leads, by the operator's call or by that of a brand's key. */
const readLeads = (
  access: Access,
  brandId: string,
  written: LeadQuery,
  signal?: AbortSignal
): Promise<LeadPage> => {
  const query = written as Parameters<"listLeads">
  const abort = signal === undefined ? {} : { signal }
  return answerOf(
    access === "operator"
      ? api.GET("/operator/brands/{brandId}/leads", { params: { path: { brandId }, query }, ...abort })
      : api.GET("/signals/leads", { params: { query }, ...abort })
  )
}

/** One page of the list. While the next page or filter loads, `data` is that of the one before, with `isPlaceholderData`. */
export const leadsQuery = (access: Access, brandId: string, query: LeadQuery) =>
  queryOptions({
    queryKey: [...leadsKey(brandId), query],
    queryFn: ({ signal }) => readLeads(access, brandId, query, signal),
    placeholderData: keepPreviousData
  })

/** A page of an export, which is forgotten once it is written. */
export const exportedLeadsQuery = (access: Access, brandId: string, query: LeadQuery, signal: AbortSignal) =>
  queryOptions({
    queryKey: [...leadsKey(brandId), "export", query],
    queryFn: () => readLeads(access, brandId, query, signal),
    gcTime: 0,
    staleTime: 0
  })

/** How many leads pass a filter. */
export const leadCountQuery = (access: Access, brandId: string, filter: LeadQuery) =>
  queryOptions({
    queryKey: [...leadsKey(brandId), "count", filter],
    queryFn: async ({ signal }) =>
      (await readLeads(access, brandId, { ...filter, pageSize: 1 }, signal)).meta.pagination.total
  })

/** A lead that is open. A change of its flags is written here before the API has answered. */
export const leadKey = (brandId: string, id: string) => [...ofBrand(brandId), "lead", id] as const

/** One lead with its newest 20 engagements. Fails with 404 for an erased lead and one of another brand. */
export const leadQuery = (access: Access, brandId: string, id: string) =>
  queryOptions({
    queryKey: leadKey(brandId, id),
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          access === "operator"
            ? api.GET("/operator/brands/{brandId}/leads/{id}", { params: { path: { brandId, id } }, signal })
            : api.GET("/signals/leads/{id}", {
                params: { path: { id: Number(id) }, query: { includeEngagementDetail: true } },
                signal
              })
        )
      ).data
  })

/** All engagements of a lead, of which `leadQuery` has the newest. The log names who read them: they are read once, when they are asked for. */
export const engagementsQuery = (brandId: string, id: string) =>
  queryOptions({
    queryKey: [...ofBrand(brandId), "engagements", id],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/operator/brands/{brandId}/leads/{id}/export", {
            params: { path: { brandId, id } },
            signal
          })
        )
      ).data.engagements,
    staleTime: Infinity,
    gcTime: 0
  })

/** Invalidated when one of the brand's keys is created or revoked. */
export const keysKey = (brandId: string) => [...ofBrand(brandId), "keys"] as const

/** All keys of the brand, revoked and expired ones included. The API has no pages here. */
export const keysQuery = (brandId: string) =>
  queryOptions({
    queryKey: keysKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/keys", { params: { path: { brandId } } }))).data
  })

/** Invalidated when an operator's token is created or revoked. */
export const tokensKey = ["tokens"] as const

/** All tokens of operators, revoked and expired ones included. It needs the scope `admin` for all brands. [OPER-11] */
export const tokensQuery = queryOptions({
  queryKey: tokensKey,
  queryFn: async () => (await answerOf(api.GET("/operator/tokens"))).data
})

/** Pages of the audit log, the newest entries first. `since`: any timestamp that the filters take. */
export const auditQuery = (query: { readonly brandId?: string; readonly since?: string }) =>
  infiniteQueryOptions({
    queryKey: ["audit", query],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET("/operator/audit", {
          params: { query: { ...query, pageSize: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } },
          signal
        })
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.nextCursor
  })

/** Invalidated when a signal of the brand is created, renamed or deleted. */
export const signalsKey = (brandId: string) => [...ofBrand(brandId), "signals"] as const

/** All signals of the brand. Keys can't read them by this call: their pages leave it disabled. */
export const signalsQuery = (brandId: string) =>
  queryOptions({
    queryKey: signalsKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/signals", { params: { path: { brandId } } }))).data
  })

/** What happens meanwhile shows after so long. */
const refreshMillis = 30_000

/** Deliveries of the webhooks lie below it, too, and are invalidated with it. */
export const webhooksKey = (brandId: string) => [...ofBrand(brandId), "webhooks"] as const

/** All webhooks of the brand, read again while a page shows them: the server disables one that fails for five days. */
export const webhooksQuery = (brandId: string) =>
  queryOptions({
    queryKey: webhooksKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/webhooks", { params: { path: { brandId } } })))
        .data,
    // A webhook begins to fail, and delivers again, by itself.
    refetchInterval: refreshMillis
  })

/** Every list of deliveries of one webhook, and each single one, lies below it. */
export const deliveriesKey = (brandId: string, id: string) =>
  [...webhooksKey(brandId), id, "deliveries"] as const

/** One page of deliveries with its pagination. While the next page or state loads, `data` is that of the one before. */
export const deliveriesQuery = (brandId: string, id: string, query: DeliveryQuery) =>
  queryOptions({
    queryKey: [...deliveriesKey(brandId, id), query],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/operator/brands/{brandId}/webhooks/{id}/deliveries", {
          params: { path: { brandId, id }, query: query as Parameters<"webhooks.listDeliveries"> },
          signal
        })
      ),
    placeholderData: keepPreviousData
  })

/** Series and posts of the campaigns lie below it. */
export const campaignsKey = (brandId: string) => [...ofBrand(brandId), "campaigns"] as const

/** All campaigns of the brand; the API has no pages here. */
export const campaignsQuery = (brandId: string) =>
  queryOptions({
    queryKey: campaignsKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/campaigns", { params: { path: { brandId } } })))
        .data
  })

/** The intervals of a campaign's series, and the post, as texts. */
export type CampaignSeriesQuery = {
  readonly interval: "day" | "week"
  readonly startDate: string
  readonly endDate: string
  readonly postId?: string
}

/** Totals of a campaign, or of the post that the query names, at the end of each interval; null before the first reading. */
export const campaignSeriesQuery = (brandId: string, id: string, query: CampaignSeriesQuery) =>
  queryOptions({
    queryKey: [...campaignsKey(brandId), id, "series", query],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/operator/brands/{brandId}/campaigns/{id}/series", {
            params: { path: { brandId, id }, query },
            signal
          })
        )
      ).data,
    placeholderData: keepPreviousData
  })

/** The posts of a campaign, each with its last totals and the UTC day of these. */
export const campaignPostsQuery = (brandId: string, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(brandId), id, "posts"],
    queryFn: async () =>
      (
        await answerOf(
          api.GET("/operator/brands/{brandId}/campaigns/{id}/posts", { params: { path: { brandId, id } } })
        )
      ).data
  })

/** What the API counts over time, as its paths name it. */
export type CountSeriesPath = "leads" | "engagements" | "deliveries"

/** The interval of a series of counts, and what they are grouped by. */
export type CountSeriesQuery = {
  readonly interval: "hour" | "day" | "week"
  readonly by?: "signal" | "type"
}

/** Counts by interval and group. `by` must be a group that the path takes: `leads` takes "signal", `deliveries` none; others are left out. */
export const countSeriesQuery = (brandId: string, of: CountSeriesPath, { by, interval }: CountSeriesQuery) =>
  queryOptions({
    queryKey: [...ofBrand(brandId), "series", of, interval, by ?? null],
    queryFn: async ({ signal }) => {
      const path = { brandId }
      const calls = {
        leads: () =>
          api.GET("/operator/brands/{brandId}/series/leads", {
            params: { path, query: { interval, ...(by === "signal" ? { by } : {}) } },
            signal
          }),
        engagements: () =>
          api.GET("/operator/brands/{brandId}/series/engagements", {
            params: { path, query: { interval, ...(by === undefined ? {} : { by }) } },
            signal
          }),
        deliveries: () =>
          api.GET("/operator/brands/{brandId}/series/deliveries", {
            params: { path, query: { interval } },
            signal
          })
      }
      return (await answerOf(calls[of]())).data
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMillis
  })

/** Rejected observations and keys at their limit since the server started, read again while the page is open. */
export const attentionQuery = (brandId: string) =>
  queryOptions({
    queryKey: [...ofBrand(brandId), "attention"],
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/attention", { params: { path: { brandId } } })))
        .data,
    refetchInterval: refreshMillis
  })

/** How often a delivery that is on its way is looked at. */
const pollMillis = 1000

/** One delivery with its attempts, read again while it is pending, so that a dialog shows each attempt as it ends. */
export const deliveryQuery = (brandId: string, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...deliveriesKey(brandId, id), "one", deliveryId],
    queryFn: async () =>
      (
        await answerOf(
          api.GET("/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}", {
            params: { path: { brandId, id, deliveryId } }
          })
        )
      ).data,
    refetchInterval: ({ state }) => (state.data?.state === "pending" ? pollMillis : false)
  })
