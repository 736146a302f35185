/** Home: how many leads there are, what needs a hand, and for a new brand what to do next. */
import { useQueries, useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import {
  attentionQuery,
  brandsQuery,
  deliveriesQuery,
  type DeliveryQuery,
  keysQuery,
  leadCountQuery,
  signalsQuery,
  webhooksQuery
} from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { filterOf } from "../leads/leadSearch.ts"
import { hasScope } from "../session/permissions.ts"
import { useSession } from "../session/session.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Failure, Loading } from "../ui/States.tsx"
import { exactTime } from "../ui/Time.tsx"
import { Activity } from "./Activity.tsx"
import { Checklist, type ChecklistFacts } from "./Checklist.tsx"
import { Counts } from "./Counts.tsx"
import type { HomeSearch } from "./homeSearch.ts"
import { NeedsAHand, type Problem } from "./NeedsAHand.tsx"

type Attention = Schemas["Attention"]

const one = (state: "dead" | "delivered" | "held") => ({ state, pageSize: 1 }) as DeliveryQuery

/** Deliveries of each webhook in a state, by the webhook's id. */
const useDeliveryCounts = (
  brandId: string,
  ids: ReadonlyArray<string>,
  state: "dead" | "delivered" | "held"
) =>
  useQueries({
    queries: ids.map((id) => deliveriesQuery(brandId, id, one(state))),
    combine: (results) => new Map(ids.map((id, i) => [id, results[i]?.data?.meta.pagination.total ?? 0]))
  })

/** What the plots show, as it is chosen. */
const seriesCalls = (path: string, { by = "type", interval = "day" }: HomeSearch, hasWebhooks: boolean) => {
  const call = (of: string, group?: string) => ({
    does: `${of[0]!.toUpperCase()}${of.slice(1)} by ${interval}${group === undefined ? "" : `, by ${group}`}`,
    path: `${path}/series/${of}`,
    query: { interval, by: group }
  })
  return [
    call("leads", by === "signal" ? by : undefined),
    call("engagements", by === "none" ? undefined : by),
    ...(hasWebhooks ? [call("deliveries")] : [])
  ]
}

const deliveries = (n: number, kind = ""): string =>
  n === 1 ? `one ${kind}delivery` : `${n.toLocaleString("en")} ${kind}deliveries`

const times = (n: number): string => (n === 1 ? "once" : `${n} times`)

/** Keys at their limit, and rejected observations. */
const problemsOf = ({ refusedRequests, rejectedObservations }: Attention): ReadonlyArray<Problem> => [
  ...refusedRequests.map(({ count, label, lastAt }): Problem => ({
    name: label,
    text: `has met its rate limit ${times(count)}, last ${exactTime(lastAt!)}`,
    page: { to: "keys" }
  })),
  ...(rejectedObservations.count === 0
    ? []
    : [
        {
          name:
            rejectedObservations.count === 1
              ? "One observation"
              : `${rejectedObservations.count} observations`,
          text: `rejected, last ${exactTime(rejectedObservations.lastAt!)}; the answers to the sender say why`,
          page: { to: "import" } as const
        }
      ])
]

const BrandHome = ({ brandId }: { readonly brandId: string }) => {
  const { data: brands } = useQuery(brandsQuery)
  const search = useSearch({ from: "/brands/$brandId/" })
  const signals = useQuery(signalsQuery(brandId))
  const keys = useQuery(keysQuery(brandId))
  const session = useSession()
  const readsWebhooks = hasScope(session, "webhooks")
  const mayDoAll = (["ingest", "webhooks", "admin"] as const).every((scope) => hasScope(session, scope))
  const webhooks = useQuery({ ...webhooksQuery(brandId), enabled: readsWebhooks })
  const leads = useQuery(leadCountQuery("operator", brandId, {}))
  const { data: attention } = useQuery(attentionQuery(brandId))
  const ids = webhooks.data?.map(({ id }) => id) ?? []
  const dead = useDeliveryCounts(brandId, ids, "dead")
  const held = useDeliveryCounts(brandId, ids, "held")
  const delivered = useDeliveryCounts(brandId, ids, "delivered")

  const failed = [signals, keys, webhooks, leads].find(({ error }) => error !== null)
  if (failed !== undefined)
    return (
      <div className="p-4 md:p-6">
        <Failure error={failed.error} onRetry={() => void failed.refetch()} />
      </div>
    )
  if (
    signals.data === undefined ||
    keys.data === undefined ||
    (readsWebhooks && webhooks.data === undefined) ||
    leads.data === undefined
  )
    return <Loading />

  const listed = webhooks.data ?? []
  const facts: ChecklistFacts = {
    signals: signals.data.length,
    leads: leads.data,
    keys: keys.data.filter(({ revokedAt }) => revokedAt === null).length,
    usedKeys: keys.data.filter(({ lastUsedAt }) => lastUsedAt !== null).length,
    webhooks: listed.length,
    delivered: [...delivered.values()].reduce((sum, count) => sum + count, 0)
  }
  const problems = [
    ...listed.flatMap((webhook) => {
      const name = webhook.description ?? webhook.url
      const problem = (text: string, state?: string): Problem => ({
        name,
        text,
        page: { to: "webhook", id: webhook.id, ...(state === undefined ? {} : { state }) }
      })
      const [died, waiting] = [dead.get(webhook.id) ?? 0, held.get(webhook.id) ?? 0]
      return [
        ...(webhook.enabled || webhook.disabledReason === null
          ? []
          : [problem(`is disabled: ${webhook.disabledReason}`)]),
        ...(webhook.enabled && webhook.failingSince !== null
          ? [problem(`fails: every attempt since ${exactTime(webhook.failingSince)}`)]
          : []),
        ...(died > 0 ? [problem(`has ${deliveries(died, "dead ")}`, "dead")] : []),
        ...(waiting > 0 ? [problem(`holds ${deliveries(waiting)} until it is enabled`, "held")] : [])
      ]
    }),
    ...(attention === undefined ? [] : problemsOf(attention))
  ]
  const path = `/operator/brands/${brandId}`
  const name = brands?.find(({ id }) => id === brandId)?.name ?? "Home"
  return (
    <>
      <PageHeader
        title={name}
        actions={
          <CurlButton
            calls={[
              {
                does: "New leads of the last 7 days",
                path: `${path}/leads`,
                query: { ...filterOf({ created: "7d" }), pageSize: 1 }
              },
              ...seriesCalls(path, search, listed.length > 0),
              { does: "The webhooks, with their failures", path: `${path}/webhooks` },
              { does: "Rejected observations and keys at their limit", path: `${path}/attention` }
            ]}
          />
        }
      />
      <div className="flex flex-col gap-6 px-4 pb-8 md:px-6">
        {mayDoAll ? <Checklist brandId={brandId} facts={facts} /> : null}
        {leads.data === 0 ? null : (
          <>
            <Counts brandId={brandId} total={leads.data} />
            <NeedsAHand
              brandId={brandId}
              problems={problems}
              hasWebhooks={listed.length > 0}
              since={attention?.since}
            />
            <Activity brandId={brandId} signals={signals.data} hasWebhooks={listed.length > 0} />
          </>
        )}
      </div>
    </>
  )
}

/** A brand without leads has the checklist alone. Counts of deliveries that are not read yet count as zero. Another brand begins anew. */
export const HomePage = () => {
  const { brandId } = useParams({ from: "/brands/$brandId/" })
  return <BrandHome key={brandId} brandId={brandId} />
}
