/** What the pages read, with the keys under which the cache has it. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { answerOf, api, type Session } from "./client.ts"
import type { operations } from "./contract.ts"

export type Access = Session["access"]

type Parameters<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>

/** Parameters as a URL has them: numbers and flags may be texts, and the API says what is wrong with one. */
type Written<Query> = { readonly [Name in keyof Query]?: Query[Name] | string }

/** The parameters of a list of leads. */
export type LeadQuery = Written<Parameters<"listLeads">>
export type LeadPage = operations["listLeads"]["responses"][200]["content"]["application/json"]
export type DeliveryQuery = Written<Parameters<"webhooks.listDeliveries">>

export const brandsKey = ["brands"] as const

export const brandsQuery = queryOptions({
  queryKey: brandsKey,
  queryFn: async () => (await answerOf(api.GET("/operator/brands"))).data
})

/** Everything about one brand lies below this key. */
const ofBrand = (brandId: string) => ["brand", brandId] as const

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

export const leadKey = (brandId: string, id: string) => [...ofBrand(brandId), "lead", id] as const

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

export const keysKey = (brandId: string) => [...ofBrand(brandId), "keys"] as const

export const keysQuery = (brandId: string) =>
  queryOptions({
    queryKey: keysKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/keys", { params: { path: { brandId } } }))).data
  })

export const tokensKey = ["tokens"] as const

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

export const signalsKey = (brandId: string) => [...ofBrand(brandId), "signals"] as const

export const signalsQuery = (brandId: string) =>
  queryOptions({
    queryKey: signalsKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/signals", { params: { path: { brandId } } }))).data
  })

/** What happens meanwhile shows after so long. */
const refreshMillis = 30_000

export const webhooksKey = (brandId: string) => [...ofBrand(brandId), "webhooks"] as const

export const webhooksQuery = (brandId: string) =>
  queryOptions({
    queryKey: webhooksKey(brandId),
    queryFn: async () =>
      (await answerOf(api.GET("/operator/brands/{brandId}/webhooks", { params: { path: { brandId } } })))
        .data,
    // A webhook begins to fail, and delivers again, by itself.
    refetchInterval: refreshMillis
  })

export const deliveriesKey = (brandId: string, id: string) =>
  [...webhooksKey(brandId), id, "deliveries"] as const

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

export const campaignsKey = (brandId: string) => [...ofBrand(brandId), "campaigns"] as const

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

export type CountSeriesPath = "leads" | "engagements" | "deliveries"

/** The interval of a series of counts, and what they are grouped by. */
export type CountSeriesQuery = {
  readonly interval: "hour" | "day" | "week"
  readonly by?: "signal" | "type"
}

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
