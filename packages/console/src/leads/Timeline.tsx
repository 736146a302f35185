/** The engagements of a lead, the newest first, with the posts they were about. */
import type { Engagement } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { Time } from "../ui/Time.tsx"
import { WebLink } from "../ui/WebLink.tsx"

const verbs = { comment: "Commented", reaction: "Reacted", repost: "Reposted" } as const

const verbOf = ({ reactionType, type }: Engagement): string => {
  const verb = type === null ? "Engaged" : ((verbs as Readonly<Record<string, string>>)[type] ?? type)
  return reactionType === null ? verb : `${verb} with ${reactionType.toLowerCase()}`
}

const Post = ({ engagement }: { readonly engagement: Engagement }) => {
  const { postAuthor, postContent, postUrl } = engagement
  if (postAuthor === null && postContent === null && postUrl === null) return null
  return (
    <div className="text-muted border-line border-l-2 pl-2.5 text-xs">
      {postAuthor === null ? null : <bdi className="font-medium">{postAuthor}</bdi>}
      {postContent === null ? null : (
        <p className="line-clamp-3 break-words whitespace-pre-line">
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

export const Timeline = ({ engagements }: { readonly engagements: ReadonlyArray<Engagement> }) =>
  engagements.length === 0 ? (
    <p className="text-muted text-sm">No engagement is held.</p>
  ) : (
    <ol className="flex flex-col gap-4">
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
            <p className="bg-sunken rounded-md px-2.5 py-1.5 text-sm break-words whitespace-pre-line">
              <bdi>{engagement.commentText}</bdi>
            </p>
          )}
          <Post engagement={engagement} />
        </li>
      ))}
    </ol>
  )
