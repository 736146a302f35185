/** The engagements of a lead, the newest first, with the posts they were about: first the newest, and all of them when asked. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Engagement, LeadDetail } from "../api/client.ts"
import { engagementsQuery } from "../api/queries.ts"
import { hasScope } from "../session/permissions.ts"
import { useSession } from "../session/session.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { WebLink } from "../ui/WebLink.tsx"

/** A collector may call a type anything. */
const verbs: ReadonlyMap<string, string> = new Map([
  ["comment", "Commented"],
  ["reaction", "Reacted"],
  ["repost", "Reposted"]
])

const verbOf = ({ reactionType, type }: Engagement): string => {
  const verb = type === null ? "Engaged" : (verbs.get(type) ?? type)
  return reactionType === null ? verb : `${verb} with ${reactionType.toLowerCase()}`
}

const Post = ({ engagement }: { readonly engagement: Engagement }) => {
  const { postAuthor, postContent, postUrl } = engagement
  if (postAuthor === null && postContent === null && postUrl === null) return null
  return (
    <div className="text-muted border-line border-l-2 pl-2.5 text-xs">
      {postAuthor === null ? null : <bdi className="font-medium">{postAuthor}</bdi>}
      {postContent === null ? null : (
        <p className="line-clamp-3 wrap-anywhere whitespace-pre-line">
          <bdi>{postContent}</bdi>
        </p>
      )}
      {postUrl === null ? null : (
        <WebLink url={postUrl} className="text-accent">
          Open the post
        </WebLink>
      )}
    </div>
  )
}

const Engagements = ({ engagements }: { readonly engagements: ReadonlyArray<Engagement> }) => (
  <ol aria-label="Engagements" className="flex flex-col gap-4">
    {engagements.map((engagement) => (
      <li key={engagement.id} className="flex flex-col gap-1.5">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="font-medium">{verbOf(engagement)}</span>
          <span className="text-muted text-xs">
            <Time at={engagement.emittedAt ?? engagement.trackedAt} />
          </span>
          {engagement.signal === null ? null : <Badge>{engagement.signal.name}</Badge>}
        </p>
        {engagement.commentText === null ? null : (
          <p className="bg-sunken rounded-md px-2.5 py-1.5 text-sm wrap-anywhere whitespace-pre-line">
            <bdi>{engagement.commentText}</bdi>
          </p>
        )}
        <Post engagement={engagement} />
      </li>
    ))}
  </ol>
)

/** As many are drawn at first once all are there, and with each further step. */
const step = 100

/** `brandId`: that of the lead. */
export const Timeline = ({ brandId, lead }: { readonly brandId: string; readonly lead: LeadDetail }) => {
  const mayReadAll = hasScope(useSession(), "read")
  const [visibleCount, setVisibleCount] = useState(0)
  const all = useQuery({ ...engagementsQuery(brandId, String(lead.id)), enabled: visibleCount > 0 })
  if (lead.engagements.length === 0) return <p className="text-muted text-sm">No engagement is held.</p>
  const engagements = all.data?.slice(0, visibleCount) ?? lead.engagements
  const left = (all.data?.length ?? 0) - engagements.length
  return (
    <>
      <Engagements engagements={engagements} />
      {all.error === null ? null : <Failure error={all.error} onRetry={() => void all.refetch()} />}
      {!lead.engagementsMeta.truncated ? null : all.data === undefined ? (
        mayReadAll ? (
          <Button
            className="self-start"
            disabled={visibleCount > 0 && all.isFetching}
            onClick={() => setVisibleCount(step)}
          >
            {visibleCount > 0 && all.isFetching ? "Loading …" : "Show all engagements"}
          </Button>
        ) : (
          <p className="text-muted text-xs">These are the newest. An operator sees all of them.</p>
        )
      ) : left > 0 ? (
        <Button className="self-start" onClick={() => setVisibleCount(visibleCount + step)}>
          Show {Math.min(left, step)} more of {left.toLocaleString("en")}
        </Button>
      ) : (
        <p className="text-muted text-xs">All {all.data.length.toLocaleString("en")} are shown.</p>
      )}
    </>
  )
}
