/** The pages of a brand: their place in the navigation, and which sessions open them. */
import type { Session } from "../api/client.ts"
import { hasScope, isUnlimited, type Scope } from "../session/permissions.ts"
import type { IconName } from "../ui/Icon.tsx"

const ofScope =
  (scope: Scope) =>
  (session: Session): boolean =>
    hasScope(session, scope)

/** For pages that need no data of the server. */
const always = (): boolean => true

/** In the order of the navigation. `needs` says what a session lacks that does not open the page. */
export const pages = [
  { to: "/brands/$brandId", icon: "home", group: null, text: "Home", opens: ofScope("read"), needs: "read" },
  {
    to: "/brands/$brandId/leads",
    icon: "leads",
    group: null,
    text: "Leads",
    opens: (session: Session) => session.access === "brand" || hasScope(session, "read"),
    needs: "read"
  },
  {
    to: "/brands/$brandId/live",
    icon: "live",
    group: null,
    text: "Live",
    opens: ofScope("read"),
    needs: "read"
  },
  {
    to: "/brands/$brandId/campaigns",
    icon: "chart",
    group: null,
    text: "Campaigns",
    opens: ofScope("read"),
    needs: "read"
  },
  {
    to: "/brands/$brandId/signals",
    icon: "signal",
    group: null,
    text: "Signals",
    opens: ofScope("read"),
    needs: "read"
  },
  {
    to: "/brands/$brandId/import",
    icon: "import",
    group: null,
    text: "Import",
    opens: ofScope("ingest"),
    needs: "ingest"
  },
  {
    to: "/brands/$brandId/settings/keys",
    icon: "key",
    group: "Settings",
    text: "API Keys",
    opens: ofScope("read"),
    needs: "read"
  },
  {
    to: "/brands/$brandId/settings/webhooks",
    icon: "webhook",
    group: "Settings",
    text: "Webhooks",
    opens: ofScope("webhooks"),
    needs: "webhooks"
  },
  {
    to: "/brands/$brandId/settings/operators",
    icon: "operator",
    group: "Settings",
    text: "Operators",
    opens: (session: Session) => hasScope(session, "admin") && isUnlimited(session),
    needs: "admin for all brands"
  },
  {
    to: "/brands/$brandId/settings/audit",
    icon: "log",
    group: "Settings",
    text: "Audit log",
    opens: ofScope("admin"),
    needs: "admin"
  },
  {
    to: "/brands/$brandId/simulator",
    icon: "flask",
    group: "Explore",
    text: "Simulator",
    opens: always,
    needs: ""
  },
  { to: "/brands/$brandId/api", icon: "book", group: "Explore", text: "API", opens: always, needs: "" }
] as const satisfies ReadonlyArray<{
  readonly to: string
  readonly icon: IconName
  readonly [key: string]: unknown
}>

/** One of `pages`, with its own path as a literal type, which the router checks. */
export type Page = (typeof pages)[number]

const suffixOf = ({ to }: Page): string => to.slice("/brands/$brandId".length)

/** The page to which a path of a brand belongs: the page of a webhook belongs to Webhooks. */
export const pageAt = (pathname: string): Page => {
  const rest = /\/brands\/[^/]+(\/.*)?$/.exec(pathname)?.[1] ?? ""
  const found = pages.find((page) => suffixOf(page) !== "" && `${rest}/`.startsWith(`${suffixOf(page)}/`))
  return found ?? pages[0]
}

/** The first page that the session opens. */
export const firstPage = (session: Session): Page => pages.find(({ opens }) => opens(session))!
