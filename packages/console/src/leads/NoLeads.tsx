/** What to do while a brand has no leads. */
import { Link } from "@tanstack/react-router"
import { useSession } from "../session/session.ts"
import { buttonClass } from "../ui/Button.tsx"
import { Empty } from "../ui/States.tsx"

/** Sends operators to the checklist of Home; a session of a key is told that there is nothing yet. */
export const NoLeads = ({ brandId }: { readonly brandId: string }) => {
  const { access } = useSession()
  return access === "operator" ? (
    <Empty
      icon="leads"
      title="No leads yet"
      action={
        <Link to="/brands/$brandId" params={{ brandId }} className={buttonClass("primary")}>
          Set up this brand
        </Link>
      }
    >
      A person becomes a lead when a collector sends what it saw of them, for a signal of this brand.
    </Empty>
  ) : (
    <Empty icon="leads" title="No leads yet">
      People appear here when they engage with what the brand watches.
    </Empty>
  )
}
