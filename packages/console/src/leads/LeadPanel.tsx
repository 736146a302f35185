/** One lead beside the list: profile, flags and score, engagements, and what an operator can do. */
import { useQuery } from "@tanstack/react-query"
import { CallFailed, type LeadDetail, type Session } from "../api/client.ts"
import { leadQuery } from "../api/queries.ts"
import type { ApiCall } from "../curl/curl.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { hasScope } from "../session/permissions.ts"
import { useSession } from "../session/session.ts"
import { IconButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Name } from "../ui/Name.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { exactTime } from "../ui/Time.tsx"
import { WebLink } from "../ui/WebLink.tsx"
import { Flags } from "./columns.tsx"
import { LeadActions } from "./LeadActions.tsx"
import { LeadFlags } from "./LeadFlags.tsx"
import { Avatar } from "./Person.tsx"
import { Timeline } from "./Timeline.tsx"

const Facts = ({ lead }: { readonly lead: LeadDetail }) => {
  const company = lead.company ?? lead.leadCompany
  const place = lead.company?.location ?? null
  const facts = [
    ["Title", lead.title1],
    ["Company", company?.name],
    ["Domain", lead.leadCompany?.domain],
    ["Industry", lead.company?.industry],
    ["Staff", lead.company?.staffCountRange],
    ["Location", place],
    ["External id", lead.extId],
    ["Created", exactTime(lead.createdAt)],
    ["Updated", exactTime(lead.updatedAt)]
  ] as const
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
      {facts.map(([name, value]) =>
        value === null || value === undefined || value === "" ? null : (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </div>
        )
      )}
    </dl>
  )
}

const Section = ({ children, title }: { readonly title: string; readonly children: React.ReactNode }) => (
  <section className="border-line flex flex-col gap-3 border-t px-4 py-4">
    <h3 className="text-muted text-xs font-medium">{title}</h3>
    {children}
  </section>
)

const Content = ({
  brandId,
  lead,
  onClose
}: {
  readonly brandId: string
  readonly lead: LeadDetail
  readonly onClose: () => void
}) => {
  const session = useSession()
  return (
    <>
      <div className="flex items-start gap-3 px-4 py-4">
        <Avatar name={lead.name} className="size-11 text-sm" />
        <div className="min-w-0 grow">
          <h2 className="text-base font-semibold wrap-anywhere">
            <Name text={lead.name} />
          </h2>
          {lead.headline === null ? null : (
            <p className="text-muted text-sm wrap-anywhere">
              <bdi>{lead.headline}</bdi>
            </p>
          )}
          {lead.liProfileUrl === null ? null : (
            <WebLink
              url={lead.liProfileUrl}
              className="text-accent mt-1 inline-flex items-center gap-1 text-sm"
            >
              Profile <Icon name="external" className="size-3" />
            </WebLink>
          )}
        </div>
      </div>
      <Section title="Assessment">
        {hasScope(session, "ingest") ? (
          <LeadFlags brandId={brandId} lead={lead} />
        ) : (
          <p className="flex items-center gap-3 text-sm">
            <span>Score {lead.score1 ?? "none"}</span> <Flags lead={lead} />
          </p>
        )}
      </Section>
      <Section title="About">
        <Facts lead={lead} />
      </Section>
      <Section title="Engagements, the newest first">
        <Timeline brandId={brandId} lead={lead} />
      </Section>
      {session.access === "operator" ? (
        <Section title="Actions">
          <LeadActions brandId={brandId} lead={lead} onErased={onClose} />
        </Section>
      ) : null}
    </>
  )
}

/** The call that reads the lead, and those behind what the session can do with it. */
const callsOf = (brandId: string, lead: LeadDetail, session: Session): ReadonlyArray<ApiCall> => {
  if (session.access === "brand")
    return [
      { does: "This lead", path: `/signals/leads/${lead.id}`, query: { includeEngagementDetail: true } }
    ]
  const path = `/operator/brands/${brandId}/leads/${lead.id}`
  const { exported, isEmployee, qualified, score1 } = lead
  return [
    { does: "This lead", path },
    ...(hasScope(session, "ingest")
      ? [
          {
            does: "Set flags and score",
            method: "PATCH" as const,
            path,
            body: { qualified, exported, isEmployee, score1 }
          }
        ]
      : []),
    ...(hasScope(session, "webhooks")
      ? [
          {
            does: "Send an event of it again, to the webhook 1",
            method: "POST" as const,
            path: `${path}/resend`,
            body: { webhookId: "1", event: "lead2.created" }
          }
        ]
      : []),
    { does: "Everything that is held about the person", path: `${path}/export` },
    ...(hasScope(session, "admin")
      ? [{ does: "Erase the person for good", method: "DELETE" as const, path }]
      : [])
  ]
}

interface LeadPanelProps {
  readonly brandId: string
  readonly id: string
  readonly onClose: () => void
}

/**
 * Beside the list from 1024 px, over it below. A lead that is not there any more, or of another brand, has a text of its own; other failures can be
 * tried again.
 */
export const LeadPanel = ({ brandId, id, onClose }: LeadPanelProps) => {
  const session = useSession()
  const { access } = session
  const { data: lead, error, refetch } = useQuery(leadQuery(access, brandId, id))
  const isMissing = error instanceof CallFailed && error.status === 404
  return (
    <aside
      aria-label="Lead"
      className="border-line bg-surface fixed inset-0 z-30 flex flex-col overflow-y-auto border-l lg:static lg:z-auto lg:w-[26rem] lg:shrink-0"
    >
      <div className="bg-surface border-line sticky top-0 z-10 flex items-center gap-1 border-b px-2 py-1">
        <span className="text-muted grow px-2 text-xs tabular-nums">Lead {id}</span>
        {lead === undefined ? null : <CurlButton calls={callsOf(brandId, lead, session)} />}
        <IconButton icon="close" label="Close the lead (Escape)" onClick={onClose} />
      </div>
      {lead !== undefined ? (
        <Content brandId={brandId} lead={lead} onClose={onClose} />
      ) : isMissing ? (
        <Empty icon="leads" title="There is no such lead">
          The person was erased, or the link is of another brand.
        </Empty>
      ) : error !== null ? (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Loading />
      )}
    </aside>
  )
}
