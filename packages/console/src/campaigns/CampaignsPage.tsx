/** Campaigns: their figures over time, by post. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { answerOf, api } from "../api/client.ts"
import { campaignsKey, campaignsQuery, type CampaignSeriesQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { useHasScope } from "../session/permissions.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { useLookedAt } from "../shell/useLookedAt.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { CampaignPlots } from "./CampaignPlots.tsx"
import { type CampaignSearch, daysOf, lastDays, periods, readCampaignSearch } from "./campaignSearch.ts"
import { Posts } from "./Posts.tsx"
import { Select } from "../ui/Select.tsx"

const from = "/brands/$brandId/campaigns"

const NewCampaign = ({ brandId, onClose }: { readonly brandId: string; readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const client = useQueryClient()
  const create = async () => {
    await answerOf(
      api.POST("/operator/brands/{brandId}/campaigns", { params: { path: { brandId } }, body: { name } })
    )
    await client.invalidateQueries({ queryKey: campaignsKey(brandId) })
  }
  return (
    <FormDialog
      title="New campaign"
      description="Posts that are measured together."
      does="Create campaign"
      onSubmit={create}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        required
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  )
}

interface Choice {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
  readonly onChange: (value: string) => void
}

const Choose = ({ label, onChange, options, value }: Choice) => (
  <Select
    aria-label={label}
    className="max-w-72"
    value={value}
    onChange={({ target }) => onChange(target.value)}
  >
    {options.map(([each, text]) => (
      <option key={each} value={each}>
        {text}
      </option>
    ))}
  </Select>
)

const Campaign = ({
  brandId,
  campaigns,
  onNew
}: {
  readonly brandId: string
  readonly campaigns: ReadonlyArray<{ readonly id: string; readonly name: string }>
  /** Null for sessions that create none. */
  readonly onNew: (() => void) | null
}) => {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const selected = campaigns.find(({ id }) => id === search.campaign) ?? campaigns.at(-1)!
  const days = daysOf(search)
  const interval = search.interval === "week" ? "week" : "day"
  const { endDate, startDate } = lastDays(Number(days), useLookedAt(search))
  const query = useMemo(
    (): CampaignSeriesQuery => ({
      startDate,
      endDate,
      interval,
      ...(search.post === undefined ? {} : { postId: search.post })
    }),
    [startDate, endDate, interval, search.post]
  )
  const choose = (change: CampaignSearch) =>
    void navigate({ to: from, search: readCampaignSearch({ ...search, ...change }), replace: true })
  const path = `/operator/brands/${brandId}/campaigns/${selected.id}`
  return (
    <>
      <PageHeader
        title="Campaigns"
        actions={
          <>
            <CurlButton
              calls={[
                { does: "These figures", path: `${path}/series`, query },
                { does: "The posts with their last totals", path: `${path}/posts` },
                {
                  does: "Put the totals of a post up to a day",
                  method: "PUT",
                  path: `${path}/posts/post-1/snapshots/${query.endDate}`,
                  body: { impressions: 1200, reactions: 40, comments: 6, reposts: 2 }
                }
              ]}
            />
            {onNew === null ? null : (
              <Button icon="plus" onClick={onNew}>
                New campaign
              </Button>
            )}
          </>
        }
      />
      <div className="flex flex-wrap items-center gap-2 px-4 pb-4 md:px-6">
        <Choose
          label="Campaign"
          value={selected.id}
          options={campaigns.map(({ id, name }) => [id, name])}
          onChange={(campaign) => choose({ campaign, post: "" })}
        />
        <Choose label="Period" value={days} options={periods} onChange={(each) => choose({ days: each })} />
        <Choose
          label="Interval"
          value={interval}
          options={[
            ["day", "By day"],
            ["week", "By week"]
          ]}
          onChange={(each) => choose({ interval: each })}
        />
        <Choose
          label="Figures"
          value={search.figures === "gained" ? "gained" : "total"}
          options={[
            ["total", "Totals"],
            ["gained", "Gained in each interval"]
          ]}
          onChange={(figures) => choose({ figures })}
        />
        {search.post === undefined ? null : (
          <Button icon="close" onClick={() => choose({ post: "" })}>
            <span className="max-w-60 truncate">
              Post <bdi>{search.post}</bdi>
            </span>
          </Button>
        )}
        <p className="text-muted text-xs">Days in UTC</p>
      </div>
      <div className="flex flex-col gap-6 px-4 pb-8 md:px-6">
        <CampaignPlots
          brandId={brandId}
          campaignId={selected.id}
          query={query}
          isGained={search.figures === "gained"}
        />
        <Posts brandId={brandId} campaignId={selected.id} search={search} />
      </div>
    </>
  )
}

const Campaigns = ({ brandId }: { readonly brandId: string }) => {
  const { data, error, refetch } = useQuery(campaignsQuery(brandId))
  const [isNew, setNew] = useState(false)
  const mayCreate = useHasScope("admin")
  const onNew = mayCreate ? () => setNew(true) : null
  const content = () => {
    if (error !== null)
      return (
        <div className="p-4 md:p-6">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )
    if (data === undefined) return <Loading />
    if (data.length > 0) return <Campaign brandId={brandId} campaigns={data} onNew={onNew} />
    return (
      <>
        <PageHeader title="Campaigns" />
        <Empty
          icon="chart"
          title="No campaign yet"
          action={
            onNew === null ? null : (
              <Button look="primary" icon="plus" onClick={onNew}>
                New campaign
              </Button>
            )
          }
        >
          A campaign is a group of posts whose impressions, reactions, comments and reposts are measured
          together.
        </Empty>
      </>
    )
  }
  return (
    <>
      {content()}
      {isNew ? <NewCampaign brandId={brandId} onClose={() => setNew(false)} /> : null}
    </>
  )
}

/**
 * The campaign of the URL, else the last one of the list. A brand without campaigns gets the form that creates one, if its session has the scope
 * `admin`. Another brand begins anew.
 */
export const CampaignsPage = () => {
  const { brandId } = useParams({ from })
  return <Campaigns key={brandId} brandId={brandId} />
}
