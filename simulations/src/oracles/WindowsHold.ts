import type { Oracle } from "./Oracle.ts"

/** Every lead of an answer lies within what was asked for, and no page is larger. [TIME-5, LIST-3, PAGE-1, PAGE-4] */
export const windowsHold: Oracle = {
  name: "windows hold",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each page of leads")
    return {
      answered: ({ body, call, response }) => {
        const { meaning } = call
        if (meaning.means !== "list" || response.status !== 200) return null
        rule.judged++
        const { filter, pageSize } = meaning.query
        const { pagination } = body.meta
        if (body.data.length > pageSize) return `a page of ${pageSize} has ${body.data.length} leads`
        if (pagination.pageCount !== Math.ceil(pagination.total / pageSize))
          return "pageCount is not total / pageSize"
        for (const lead of body.data) {
          const [created, updated] = [Date.parse(lead.createdAt), Date.parse(lead.updatedAt)]
          const isWithin =
            created >= (filter.createdAfter ?? 0) &&
            created <= (filter.createdBefore ?? Infinity) &&
            updated >= (filter.updatedAfter ?? 0) &&
            updated <= (filter.updatedBefore ?? Infinity) &&
            lead.qualified === (filter.qualified ?? lead.qualified) &&
            lead.exported === (filter.exported ?? lead.exported) &&
            lead.isEmployee === (filter.isEmployee ?? lead.isEmployee)
          if (!isWithin) return `lead ${lead.id} is outside ${JSON.stringify(filter)}`
          const isOnEdge = [filter.createdAfter, filter.createdBefore].includes(created)
          if (isOnEdge || [filter.updatedAfter, filter.updatedBefore].includes(updated)) {
            facts.coverageMarks.add("a lead lay on the edge of a window")
          }
        }
        return null
      }
    }
  }
}
