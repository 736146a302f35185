/** What stands in the place of a page of a brand that is not there. */
import { Link } from "@tanstack/react-router"
import { buttonClass } from "../ui/Button.tsx"
import { Empty } from "../ui/States.tsx"

/** Shown when the list of brands has been read and lacks the one of the URL. */
export const NoBrand = () => (
  <Empty
    isPage
    icon="signal"
    title="There is no such brand"
    action={
      <Link to="/" className={buttonClass("primary")}>
        Open another brand
      </Link>
    }
  >
    It was deleted, your token does not reach it, or the link is of another server.
  </Empty>
)
