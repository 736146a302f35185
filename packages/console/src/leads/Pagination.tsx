/** Where the page lies in the list, and the way to its neighbours. */
import { IconButton } from "../ui/Button.tsx"
import { Select } from "../ui/Select.tsx"
import { pageSizes } from "./leadSearch.ts"

interface PaginationProps {
  readonly page: number
  readonly pageSize: number
  readonly pageCount: number
  readonly total: number
  readonly onPage: (page: number) => void
  readonly onPageSize?: (pageSize: string) => void
}

const count = new Intl.NumberFormat("en")

/** `page` counts from 1. A page past the end shows the total alone. Without `onPageSize` there is no choice of the size. */
export const Pagination = ({ onPage, onPageSize, page, pageCount, pageSize, total }: PaginationProps) => {
  const first = (page - 1) * pageSize + 1
  const last = Math.min(page * pageSize, total)
  return (
    <div className="border-line flex items-center gap-1 border-t py-1 pr-2 pl-4 text-sm sm:gap-3">
      <p className="text-muted grow whitespace-nowrap tabular-nums" aria-live="polite">
        {first > total
          ? `${count.format(total)} in all`
          : `${count.format(first)}–${count.format(last)} of ${count.format(total)}`}
      </p>
      {onPageSize === undefined ? null : (
        <Select
          aria-label="Rows a page"
          look="quiet"
          value={String(pageSize)}
          onChange={(event) => onPageSize(event.target.value)}
        >
          {pageSizes.map((size) => (
            <option key={size} value={size}>
              {size} a page
            </option>
          ))}
        </Select>
      )}
      <span className="flex items-center">
        <IconButton
          icon="left"
          label="Previous page"
          data-turn="previous"
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        <span className="text-muted px-1 text-xs whitespace-nowrap tabular-nums max-sm:hidden">
          {count.format(page)} / {count.format(Math.max(pageCount, 1))}
        </span>
        <IconButton
          icon="right"
          label="Next page"
          data-turn="next"
          disabled={page >= pageCount}
          onClick={() => onPage(page + 1)}
        />
      </span>
    </div>
  )
}
