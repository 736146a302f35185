/** The columns of the list of leads. */
import type { ReactNode } from "react"
import type { Lead } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { Marked } from "../ui/Marked.tsx"
import { Name } from "../ui/Name.tsx"
import { Time } from "../ui/Time.tsx"
import { Avatar } from "./Person.tsx"

/** Badges of the flags that are set; nothing where none is. */
export const Flags = ({ lead }: { readonly lead: Pick<Lead, "qualified" | "exported" | "isEmployee"> }) => (
  <span className="inline-flex gap-1">
    {lead.qualified ? <Badge tone="good">Qualified</Badge> : null}
    {lead.exported ? <Badge>Exported</Badge> : null}
    {lead.isEmployee ? <Badge tone="warn">Employee</Badge> : null}
  </span>
)

const scores = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })

/** A score as it is read: with at most two decimals. */
const scoreText = (score: number | null): string => (score === null ? "" : scores.format(score))

/** What a row needs besides its lead. */
export interface RowContext {
  /** The names of the brand's signals, by their ids. */
  readonly signalNames: ReadonlyMap<string, string>
  /** What was searched for. */
  readonly search: string | undefined
  /** Whether the headline has a column of its own. */
  readonly hasHeadline: boolean
}

/** Names of fields of the API, but "flags", which stands for three of them. */
export type ColumnId =
  | "name"
  | "headline"
  | "leadCompany"
  | "score1"
  | "flags"
  | "signalIds"
  | "createdAt"
  | "updatedAt"

/** One column: how it is drawn, and when a list of some width shows it. */
export interface LeadColumn {
  /** The field of the API that the column shows, or sorts by. */
  readonly id: ColumnId
  readonly title: string
  readonly cell: (lead: Lead, context: RowContext) => ReactNode
  /** Whether a lead has nothing to show there: its card on a phone leaves it out. */
  readonly isEmpty?: (lead: Lead) => boolean
  /** In CSS pixels. */
  readonly width: number
  /** From which width of the list the column is there, if nobody has chosen: with the others that are, it has room. */
  readonly fits: number
  readonly className?: string
  /** The direction of a first click on its title; null where the API does not sort by the field. */
  readonly sorts: "asc" | "desc" | null
}

/** In the order of the table, and of the menu "Columns". */
export const leadColumns = [
  {
    id: "name",
    title: "Name",
    width: 208,
    fits: 0,
    sorts: "asc",
    cell: ({ headline, leadCompany, name }, { hasHeadline, search }) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <Avatar name={name} />
        <span className="min-w-0">
          <Name text={name} wanted={search} className="block truncate font-medium" />
          {hasHeadline ? null : (
            <bdi className="text-muted block truncate text-xs">
              <Marked text={headline ?? leadCompany?.name ?? ""} wanted={search} />
            </bdi>
          )}
        </span>
      </span>
    )
  },
  {
    id: "headline",
    title: "Headline",
    width: 180,
    fits: 600,
    sorts: null,
    cell: ({ headline }, { search }) => (
      <bdi className="text-muted">
        <Marked text={headline ?? ""} wanted={search} />
      </bdi>
    )
  },
  {
    id: "leadCompany",
    title: "Company",
    width: 144,
    fits: 860,
    sorts: null,
    isEmpty: ({ leadCompany }) => leadCompany === null || leadCompany.name === null,
    cell: ({ leadCompany }) => <bdi>{leadCompany?.name ?? ""}</bdi>
  },
  {
    id: "score1",
    title: "Score",
    width: 76,
    fits: 0,
    className: "text-right",
    sorts: "desc",
    isEmpty: ({ score1 }) => score1 === null,
    cell: ({ score1 }) => <span className="tabular-nums">{scoreText(score1)}</span>
  },
  {
    id: "flags",
    title: "Flags",
    width: 148,
    fits: 700,
    sorts: null,
    isEmpty: ({ exported, isEmployee, qualified }) => !qualified && !exported && !isEmployee,
    cell: (lead) => <Flags lead={lead} />
  },
  {
    id: "signalIds",
    title: "Signals",
    width: 160,
    fits: 1240,
    sorts: null,
    cell: ({ signalIds }, { signalNames }) => (
      <span className="text-muted">
        {signalIds.map((id) => signalNames.get(id) ?? `Signal ${id}`).join(", ")}
      </span>
    )
  },
  {
    id: "createdAt",
    title: "Created",
    width: 92,
    fits: 480,
    sorts: "desc",
    cell: ({ createdAt }) => <Time at={createdAt} />
  },
  {
    id: "updatedAt",
    title: "Updated",
    width: 92,
    fits: 960,
    sorts: "desc",
    cell: ({ updatedAt }) => <Time at={updatedAt} />
  }
] satisfies ReadonlyArray<LeadColumn>
