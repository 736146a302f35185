/** Leads as tables, as CSV and in full, for people. */
import type { Json } from "./OperatorClient.ts"
import { type Columns, described, tableOf } from "./Output.ts"

/** The columns of a table of leads. */
export const leadColumns: Columns = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  title: ({ headline, title1 }) => title1 ?? headline,
  company: ({ leadCompany }) => leadCompany?.name,
  score: ({ score1 }) => score1,
  qualified: ({ qualified }) => (qualified ? "yes" : "no"),
  exported: ({ exported }) => (exported ? "yes" : "no"),
  signals: ({ signalIds }) => signalIds,
  created: ({ createdAt }) => createdAt
}

/** As the console exports them. */
export const csvColumns: Columns = {
  id: ({ id }) => id,
  extId: ({ extId }) => extId,
  name: ({ name }) => name,
  headline: ({ headline }) => headline,
  title1: ({ title1 }) => title1,
  username: ({ username }) => username,
  liProfileUrl: ({ liProfileUrl }) => liProfileUrl,
  companyName: ({ leadCompany }) => leadCompany?.name,
  companyDomain: ({ leadCompany }) => leadCompany?.domain,
  qualified: ({ qualified }) => qualified,
  exported: ({ exported }) => exported,
  isEmployee: ({ isEmployee }) => isEmployee,
  score1: ({ score1 }) => score1,
  signalIds: ({ signalIds }) => signalIds.join(" "),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt
}

/** The columns of a table of changes. */
export const changeColumns: Columns = {
  change: ({ type }) => type,
  id: ({ id, lead }) => lead?.id ?? id,
  name: ({ lead }) => lead?.name,
  qualified: ({ lead }) => (lead === undefined ? null : lead.qualified ? "yes" : "no"),
  exported: ({ lead }) => (lead === undefined ? null : lead.exported ? "yes" : "no"),
  time: ({ lead, removedAt }) => lead?.updatedAt ?? removedAt
}

const engagementColumns: Columns = {
  tracked: ({ trackedAt }) => trackedAt,
  type: ({ reactionType, type }) => (reactionType === null ? type : `${type} ${reactionType}`),
  text: ({ commentText }) => commentText,
  post: ({ postUrl }) => postUrl
}

/** A lead and its newest engagements, for people. */
export const describeLead =
  (lead: Json) =>
  (terminalColumns: number): string => {
    const { engagements, engagementsMeta, ...person } = lead
    const more = engagementsMeta?.truncated === true ? "There are more engagements than these." : undefined
    return [
      described(
        {
          id: person.id,
          name: person.name,
          headline: person.headline,
          title: person.title1,
          company: person.leadCompany?.name,
          profile: person.liProfileUrl,
          "external id": person.extId,
          qualified: person.qualified ? "yes" : "no",
          exported: person.exported ? "yes" : "no",
          employee: person.isEmployee ? "yes" : "no",
          score: person.score1,
          signals: person.signalIds,
          created: person.createdAt,
          updated: person.updatedAt
        },
        terminalColumns
      ),
      "",
      engagements.length === 0
        ? "No engagements."
        : tableOf(engagementColumns, engagements, terminalColumns, more)
    ].join("\n")
  }
