/** What a session sees in place of a page that it does not open. */
import { Link } from "@tanstack/react-router"
import { useSession } from "../session/session.ts"
import { buttonClass } from "../ui/Button.tsx"
import { Empty } from "../ui/States.tsx"
import { firstPage, type Page } from "./pages.ts"

/** Names the scope that is missing, and leads to the first page that the session opens. */
export const NoAccess = ({ brandId, page }: { readonly brandId: string; readonly page: Page }) => {
  const session = useSession()
  const open = firstPage(session)
  return (
    <Empty
      isPage
      icon="key"
      title={session.access === "brand" ? "This page is the operator's" : `${page.text} needs another scope`}
      action={
        <Link to={open.to} params={{ brandId }} className={buttonClass("primary")}>
          Open {open.text}
        </Link>
      }
    >
      {session.access === "brand"
        ? "You are signed in with an API key, which reads leads. Sign in with an operator's token to see this page."
        : `Your token has ${session.scopes?.join(", ")}, and this page needs ${page.needs}. Sign in with a token that has it.`}
    </Empty>
  )
}
