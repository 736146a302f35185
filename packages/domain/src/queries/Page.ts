/** The page of a list: which one, and how large it can be. [PAGE-1 … PAGE-5] */

/** The page and the size applied, after the cap. */
export interface Page {
  /** The number of the page, from 1. */
  readonly page: number
  /** Items on a page, from 1 to `maxPageSize`, or to `maxPageSizeWithEngagements` when leads carry engagements. */
  readonly pageSize: number
}

/** Items on a page when the client names no size. [PAGE-2] */
export const defaultPageSize = 25
/** The maximum number of items on a page. [PAGE-4] */
export const maxPageSize = 100
/** The maximum number of leads on a page when each carries its engagements. [PAGE-4, ENG-5] */
export const maxPageSizeWithEngagements = 25

/**
 * The page to answer: page 1 and 25 items unless the client names others, integers of at least 1. A size above the maximum
 * is reduced to it without an error. [PAGE-2, PAGE-4]
 */
export const of = (requested: {
  readonly page: number | undefined
  readonly pageSize: number | undefined
  readonly withEngagements: boolean
}): Page => ({
  page: requested.page ?? 1,
  pageSize: Math.min(
    requested.pageSize ?? defaultPageSize,
    requested.withEngagements ? maxPageSizeWithEngagements : maxPageSize
  )
})

/** How many items come before the page; at most 2⁵³ − 1, however great the page's number is. [PAGE-3] */
export const offset = (page: Page): number =>
  Math.min((page.page - 1) * page.pageSize, Number.MAX_SAFE_INTEGER)

/** How many pages the list has, 0 for an empty one. [PAGE-1] */
export const pageCount = (page: Page, total: number): number => Math.ceil(total / page.pageSize)

/** The `meta.pagination` of a list: page, pageSize, pageCount and total. [PAGE-1] */
export const pagination = (page: Page, total: number) => ({
  page: page.page,
  pageSize: page.pageSize,
  pageCount: pageCount(page, total),
  total
})
