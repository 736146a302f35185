/** The posts of a campaign, each a link to its own figures. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { campaignPostsQuery } from "../api/queries.ts"
import { DataTable } from "../ui/DataTable.tsx"
import { Name } from "../ui/Name.tsx"
import { Failure } from "../ui/States.tsx"
import type { CampaignSearch } from "./campaignSearch.ts"

type Post = Schemas["CampaignPost"]

const whole = new Intl.NumberFormat("en")
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 })

const figure = (title: string, value: (post: Post) => number, className = "") => ({
  title,
  className: `w-28 text-right tabular-nums ${className}`,
  cell: (post: Post) => whole.format(value(post))
})

interface PostsProps {
  readonly brandId: string
  readonly campaignId: string
  readonly search: CampaignSearch
}

/** A link to the figures of each post of the campaign. Nothing while it loads or where there is no post. A phone has post, impressions and rate. */
export const Posts = ({ brandId, campaignId, search }: PostsProps) => {
  const { data, error, refetch } = useQuery(campaignPostsQuery(brandId, campaignId))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined || data.length === 0) return null
  return (
    <section aria-labelledby="posts" className="card overflow-x-auto py-4">
      <h2 id="posts" className="px-4 pb-2 text-sm font-semibold">
        Posts
      </h2>
      <DataTable
        label="Posts"
        rows={data}
        keyOf={({ postId }) => postId}
        columns={[
          {
            title: "Post",
            cell: ({ postId }) => (
              <Link
                to="/brands/$brandId/campaigns"
                params={{ brandId }}
                search={{ ...search, post: postId }}
                aria-current={search.post === postId ? "true" : undefined}
                className="hover:text-accent touch:min-h-11 touch:min-w-11 touch:inline-flex touch:items-center font-medium break-all"
              >
                <Name text={postId} />
              </Link>
            )
          },
          figure("Impressions", ({ impressions }) => impressions),
          figure("Reactions", ({ reactions }) => reactions, "hidden sm:table-cell"),
          figure("Comments", ({ comments }) => comments, "hidden sm:table-cell"),
          figure("Reposts", ({ reposts }) => reposts, "hidden sm:table-cell"),
          {
            title: "Rate",
            className: "w-20 text-right tabular-nums",
            cell: ({ engagementRate }) => percent.format(engagementRate)
          },
          {
            title: "Last reading",
            className: "text-muted hidden w-32 text-right whitespace-nowrap md:table-cell",
            cell: ({ snapshotDate }) => snapshotDate
          }
        ]}
      />
    </section>
  )
}
