/** The columns of the list of leads. */
import type { ReactNode } from "react"
import type { Lead } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { Time } from "../ui/Time.tsx"
import { Avatar } from "./Person.tsx"

export const Flags = ({ lead }: { readonly lead: Pick<Lead, "qualified" | "exported" | "isEmployee"> }) => (
  <span className="inline-flex gap-1">
    {lead.qualified ? <Badge tone="good">Qualified</Badge> : null}
    {lead.exported ? <Badge>Exported</Badge> : null}
    {lead.isEmployee ? <Badge tone="warn">Employee</Badge> : null}
  </span>
)

const muted = (text: string | null | undefined) => <span className="text-muted">{text ?? ""}</span>

/** The names of a brand's signals, by their ids. */
export type SignalNames = ReadonlyMap<string, string>

interface LeadColumn {
  /** The field of the API that the column shows, or sorts by. */
  readonly id: string
  readonly title: string
  readonly cell: (lead: Lead, signalNames: SignalNames) => ReactNode
  /** Its width, and from which width of the window it is there. */
  readonly className: string
  /** The direction of a first click on its title; null where the API does not sort by the field. */
  readonly sorts: "asc" | "desc" | null
}

export const leadColumns = [
  {
    id: "name",
    title: "Name",
    className: "w-auto min-w-0 md:w-56",
    sorts: "asc",
    cell: ({ headline, leadCompany, name }) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <Avatar name={name} />
        <span className="min-w-0">
          <bdi className="block truncate font-medium">{name}</bdi>
          <bdi className="text-muted block truncate text-xs md:hidden">
            {headline ?? leadCompany?.name ?? ""}
          </bdi>
        </span>
      </span>
    )
  },
  {
    id: "headline",
    title: "Headline",
    className: "hidden lg:table-cell",
    sorts: null,
    cell: ({ headline }) => <bdi>{muted(headline)}</bdi>
  },
  {
    id: "leadCompany",
    title: "Company",
    className: "hidden w-36 md:table-cell",
    sorts: null,
    cell: ({ leadCompany }) => <bdi>{leadCompany?.name ?? ""}</bdi>
  },
  {
    id: "score1",
    title: "Score",
    className: "w-14 text-right",
    sorts: "desc",
    cell: ({ score1 }) => <span className="tabular-nums">{score1 ?? ""}</span>
  },
  {
    id: "flags",
    title: "Flags",
    className: "hidden w-40 sm:table-cell",
    sorts: null,
    cell: (lead) => <Flags lead={lead} />
  },
  {
    id: "signalIds",
    title: "Signals",
    className: "hidden w-40 2xl:table-cell",
    sorts: null,
    cell: ({ signalIds }, names) => muted(signalIds.map((id) => names.get(id) ?? `Signal ${id}`).join(", "))
  },
  {
    id: "createdAt",
    title: "Created",
    className: "hidden w-24 sm:table-cell",
    sorts: "desc",
    cell: ({ createdAt }) => <Time at={createdAt} />
  },
  {
    id: "updatedAt",
    title: "Updated",
    className: "hidden w-24 xl:table-cell",
    sorts: "desc",
    cell: ({ updatedAt }) => <Time at={updatedAt} />
  }
] as const satisfies ReadonlyArray<LeadColumn>

export type ColumnId = (typeof leadColumns)[number]["id"]
