/** A link to a page elsewhere, of which a stranger may have chosen the URL: only the web's own schemes are followed. */
import type { ReactNode } from "react"

const isOfWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** Opens a new tab that learns nothing of this page. Renders nothing for a URL of another scheme than http and https. */
export const WebLink = ({
  children,
  className,
  url
}: {
  readonly url: string
  readonly className?: string
  readonly children: ReactNode
}) =>
  isOfWeb(url) ? (
    <a
      href={url}
      target="_blank"
      rel="noreferrer noopener"
      className={`underline-offset-2 hover:underline ${className ?? ""}`}
    >
      {children}
    </a>
  ) : null
