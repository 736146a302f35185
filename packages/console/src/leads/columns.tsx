/** The columns of the list of leads. */
import { columnVisibilityFeature, createColumnHelper, tableFeatures } from "@tanstack/react-table"
import type { Lead } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { Time } from "../ui/Time.tsx"
import { Avatar } from "./Person.tsx"

export const features = tableFeatures({ columnVisibilityFeature })

const column = createColumnHelper<typeof features, Lead>()

export const Flags = ({ lead }: { readonly lead: Pick<Lead, "qualified" | "exported" | "isEmployee"> }) => (
  <span className="inline-flex gap-1">
    {lead.qualified ? <Badge tone="good">Qualified</Badge> : null}
    {lead.exported ? <Badge>Exported</Badge> : null}
    {lead.isEmployee ? <Badge tone="warn">Employee</Badge> : null}
  </span>
)

const muted = (text: string | null | undefined) => <span className="text-muted">{text ?? ""}</span>

/** `signalNames`: by the signals' ids. */
export const columnsOf = (signalNames: ReadonlyMap<string, string>) =>
  column.columns([
    column.accessor("name", {
      header: "Name",
      cell: ({ row: { original } }) => (
        <span className="flex min-w-0 items-center gap-2.5">
          <Avatar name={original.name} />
          <span className="min-w-0">
            <bdi className="block truncate font-medium">{original.name}</bdi>
            <bdi className="text-muted block truncate text-xs md:hidden">
              {original.headline ?? original.leadCompany?.name ?? ""}
            </bdi>
          </span>
        </span>
      )
    }),
    column.accessor("headline", {
      header: "Headline",
      cell: ({ getValue }) => <bdi>{muted(getValue())}</bdi>
    }),
    column.accessor("leadCompany", {
      header: "Company",
      cell: ({ getValue }) => <bdi>{getValue()?.name ?? ""}</bdi>
    }),
    column.accessor("score1", {
      header: "Score",
      cell: ({ getValue }) => <span className="tabular-nums">{getValue() ?? ""}</span>
    }),
    column.display({ id: "flags", header: "Flags", cell: ({ row }) => <Flags lead={row.original} /> }),
    column.accessor("signalIds", {
      header: "Signals",
      cell: ({ getValue }) =>
        muted(
          getValue()
            .map((id) => signalNames.get(id) ?? `Signal ${id}`)
            .join(", ")
        )
    }),
    column.accessor("createdAt", { header: "Created", cell: ({ getValue }) => <Time at={getValue()} /> }),
    column.accessor("updatedAt", { header: "Updated", cell: ({ getValue }) => <Time at={getValue()} /> })
  ])

/** Columns that can be hidden, with what the menu calls them. `wide`: hidden on phones whatever was chosen. */
export const columnTexts = {
  headline: "Headline",
  leadCompany: "Company",
  score1: "Score",
  flags: "Flags",
  signalIds: "Signals",
  createdAt: "Created",
  updatedAt: "Updated"
} as const

/** Widths, and from which width of the window a column is there. */
export const columnClass: Readonly<Record<string, string>> = {
  name: "w-auto min-w-0 md:w-56",
  headline: "hidden lg:table-cell",
  leadCompany: "hidden w-36 md:table-cell",
  score1: "w-14 text-right",
  flags: "hidden w-40 sm:table-cell",
  signalIds: "hidden w-40 2xl:table-cell",
  createdAt: "hidden w-24 sm:table-cell",
  updatedAt: "hidden w-24 xl:table-cell"
}

/** The field by which a column sorts; a first click sorts in this direction. */
export const sortOfColumn: Readonly<Record<string, "asc" | "desc">> = {
  name: "asc",
  score1: "desc",
  createdAt: "desc",
  updatedAt: "desc"
}
