/** The title of a page, with what can be done on it. */
import type { ReactNode } from "react"
import { useEffect } from "react"

interface PageHeaderProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
}

/** The page's one heading of the first level and the title of the window. Actions wrap below it on a phone. */
export const PageHeader = ({ actions, description, title }: PageHeaderProps) => {
  useEffect(() => {
    document.title = `${title} · Lead Signals`
  }, [title])
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-4 pb-3 md:px-6">
      <div className="min-w-0 grow">
        <h1 className="text-lg font-semibold wrap-anywhere">{title}</h1>
        {description === undefined ? null : <div className="text-muted max-w-3xl text-sm">{description}</div>}
      </div>
      <div className="flex flex-wrap items-center gap-2">{actions}</div>
    </div>
  )
}
