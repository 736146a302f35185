/** Inserts and updates the rows of leads and engagements, with what is derived from them. */
import {
  type Engagement,
  type Lead,
  type LeadId,
  type Observations,
  RenderedLeads
} from "@lead-signals/domain"
import {
  companyColumn,
  engagementColumns,
  engagementValues,
  flagsOf,
  idOf,
  profileColumns,
  profileValues
} from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { derivedChanges } from "../rank-index/DerivedChanges.ts"
import { foldOnce } from "../search/FoldedTexts.ts"
import { changeSearch } from "../search/SearchTail.ts"

type Value = string | number | null

/** Columns, and what a lead has in them. */
interface Written {
  readonly columns: ReadonlyArray<string>
  readonly values: (lead: Observations.LeadDraft, sql: Connection) => ReadonlyArray<Value>
}

/** What every update writes. */
const always: Written = {
  columns: [
    "name",
    ...profileColumns,
    "company",
    "profile_times",
    "signal_id",
    "signal_ids",
    "updated_at",
    "shown"
  ],
  values: (lead) => [
    lead.profile.name,
    ...profileValues(lead.profile),
    companyColumn(lead.profile.company),
    JSON.stringify(lead.profileTimes),
    idOf(lead.signalId),
    JSON.stringify(lead.signalIds),
    lead.updatedAt,
    RenderedLeads.keep(RenderedLeads.renderLead({ ...lead, id: 0 }))
  ]
}

interface WrittenIfChanged extends Written {
  readonly isChanged: (before: Lead, after: Lead) => boolean
}

/**
 * Columns of indexes, which an update writes only where they change: SQLite writes the entries of each index anew that has a column of
 * the statement, whether its value changes or not.
 */
const ifChanged: ReadonlyArray<WrittenIfChanged> = [
  {
    columns: ["name_key"],
    values: ({ profile }, sql) => [foldOnce(sql, profile.name)],
    isChanged: (before, after) => before.profile.name !== after.profile.name
  },
  {
    columns: ["flags"],
    values: (lead) => [flagsOf(lead)],
    isChanged: (before, after) => flagsOf(before) !== flagsOf(after)
  },
  {
    columns: ["score1", "score_missing", "score_rank", "score_rank_desc"],
    values: ({ score1 }) => [
      score1,
      Number(score1 === null),
      score1 ?? Number.POSITIVE_INFINITY,
      score1 === null ? Number.POSITIVE_INFINITY : -score1
    ],
    isChanged: (before, after) => before.score1 !== after.score1
  },
  {
    columns: ["created_at"],
    values: ({ createdAt }) => [createdAt],
    isChanged: (before, after) => before.createdAt !== after.createdAt
  }
]

const insertedColumns = [always, ...ifChanged].flatMap(({ columns }) => columns)

const insertStatement = `INSERT INTO lead (brand_id, ext_id, ${insertedColumns.join(", ")})
  VALUES (?, ?, ${insertedColumns.map(() => "?").join(", ")})`

/**
 * Inserts a lead under a new id, and answers it with that id. Notes what the rank index and the search index must add; the caller writes the
 * row of `lead_signal`.
 */
export const insertLead = (sql: Connection, draft: Observations.LeadDraft): Lead => {
  const values = [always, ...ifChanged].flatMap((written) => written.values(draft, sql))
  const id: LeadId = sql.insert(insertStatement, [idOf(draft.brandId), draft.extId, ...values])
  const lead = { ...draft, id }
  derivedChanges(sql).change(null, lead)
  changeSearch(sql, null, lead)
  return lead
}

/**
 * Writes what differs between two states of one lead, which has a row: unchanged columns of indexes stay unwritten. Flags and the time of its
 * creation are also written to `lead_signal`, where the lists of a signal read them.
 */
export const updateLead = (sql: Connection, before: Lead, after: Lead): void => {
  const written = [always, ...ifChanged.filter(({ isChanged }) => isChanged(before, after))]
  const assignments = written.flatMap(({ columns }) => columns).map((column) => `${column} = ?`)
  sql.run(`UPDATE lead SET ${assignments.join(", ")} WHERE id = ?`, [
    ...written.flatMap(({ values }) => values(after, sql)),
    after.id
  ])
  derivedChanges(sql).change(before, after)
  if (flagsOf(before) !== flagsOf(after) || before.createdAt !== after.createdAt) {
    sql.run("UPDATE lead_signal SET flags = ?, created_at = ? WHERE lead_id = ?", [
      flagsOf(after),
      after.createdAt,
      after.id
    ])
  }
  if (before.profile.name !== after.profile.name || before.profile.headline !== after.profile.headline) {
    changeSearch(sql, before, after)
  }
}

const engagementStatement = `INSERT INTO engagement (${engagementColumns.join(", ")})
  VALUES (${engagementColumns.map(() => "?").join(", ")})`

/** Inserts an engagement of a lead that has its row, and counts it in the series by the hour. Its id must be new in the brand. [SERIES-1] */
export const insertEngagement = (sql: Connection, brandId: number, engagement: Engagement): void => {
  derivedChanges(sql).addEngagement(brandId, engagement)
  sql.run(engagementStatement, engagementValues(brandId, engagement))
}
