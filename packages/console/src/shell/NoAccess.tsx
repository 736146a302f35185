/** What a session of an API key sees in place of an operator's page. */
import { Link } from "@tanstack/react-router"
import { buttonClass } from "../ui/Button.tsx"
import { Empty } from "../ui/States.tsx"

export const NoAccess = ({ brandId }: { readonly brandId: string }) => (
  <Empty
    icon="key"
    title="This page is the operator's"
    action={
      <Link to="/brands/$brandId/leads" params={{ brandId }} className={buttonClass("primary")}>
        Open the leads
      </Link>
    }
  >
    You are signed in with an API key, which reads leads. Sign in with the operator token to see this page.
  </Empty>
)
