/** Which part of a list is served, and how large a part may be. [PAGE-1 … PAGE-5] */

/** The page and the size applied, after the cap. */
export interface Page {
  readonly page: number
  readonly pageSize: number
}

export const defaultPageSize = 25
export const maxPageSize = 100
export const maxPageSizeWithEngagements = 25

/** Caps the size in silence. [PAGE-4] */
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

/** How many leads come before the page; a page past any list stays a safe integer. */
export const offset = (page: Page): number =>
  Math.min((page.page - 1) * page.pageSize, Number.MAX_SAFE_INTEGER)

export const pageCount = (page: Page, total: number): number => Math.ceil(total / page.pageSize)

/** What every list says of its pages. [PAGE-1] */
export const pagination = (page: Page, total: number) => ({
  page: page.page,
  pageSize: page.pageSize,
  pageCount: pageCount(page, total),
  total
})
