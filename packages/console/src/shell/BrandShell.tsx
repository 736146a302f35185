/** The frame of a brand's pages: navigation, the brand, the user's menu, and the keys that work everywhere. */
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router"
import { Suspense, useEffect, useState } from "react"
import { useSession, useSignOut } from "../session/session.ts"
import { IconButton } from "../ui/Button.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { Logo } from "../ui/Logo.tsx"
import { Loading } from "../ui/States.tsx"
import { BrandMenu } from "./BrandMenu.tsx"
import { lastBrand } from "./lastBrand.ts"
import { NoAccess } from "./NoAccess.tsx"
import { ShortcutsDialog } from "./ShortcutsDialog.tsx"
import { useGlobalKeys } from "./shortcuts.ts"
import { useTheme } from "./theme.ts"

const pages = [
  { to: "/brands/$brandId", icon: "home", text: "Home", forBrands: false, exact: true },
  { to: "/brands/$brandId/leads", icon: "leads", text: "Leads", forBrands: true, exact: false },
  { to: "/brands/$brandId/live", icon: "live", text: "Live", forBrands: false, exact: false },
  { to: "/brands/$brandId/campaigns", icon: "chart", text: "Campaigns", forBrands: false, exact: false },
  { to: "/brands/$brandId/signals", icon: "signal", text: "Signals", forBrands: false, exact: false },
  { to: "/brands/$brandId/import", icon: "import", text: "Import", forBrands: false, exact: false },
  { to: "/brands/$brandId/settings/keys", icon: "key", text: "API Keys", forBrands: false, exact: false },
  {
    to: "/brands/$brandId/settings/webhooks",
    icon: "webhook",
    text: "Webhooks",
    forBrands: false,
    exact: false
  },
  { to: "/brands/$brandId/simulator", icon: "flask", text: "Simulator", forBrands: true, exact: false },
  { to: "/brands/$brandId/api", icon: "book", text: "API", forBrands: true, exact: false }
] as const satisfies ReadonlyArray<{
  readonly to: string
  readonly icon: IconName
  readonly [key: string]: unknown
}>

/** Above the first page of a group. */
const groupTitles: Partial<Record<IconName, string>> = { key: "Settings", flask: "Explore" }

const Navigation = ({
  brandId,
  onNavigate
}: {
  readonly brandId: string
  readonly onNavigate: () => void
}) => {
  const { access } = useSession()
  const shown = pages.filter(({ forBrands }) => forBrands || access === "operator")
  return (
    <nav aria-label="Pages" className="flex flex-col gap-0.5 px-2">
      {shown.map(({ exact, icon, text, to }) => (
        <div key={to}>
          {groupTitles[icon] === undefined ? null : (
            <p className="text-muted px-2 pt-4 pb-1 text-xs font-medium">{groupTitles[icon]}</p>
          )}
          <Link
            to={to}
            params={{ brandId }}
            activeOptions={{ exact, includeSearch: false }}
            onClick={onNavigate}
            className="text-muted hover:bg-sunken hover:text-ink flex h-8 items-center gap-2.5 rounded-md px-2 text-sm font-medium"
            activeProps={{ className: "bg-accent-soft text-accent! hover:bg-accent-soft" }}
          >
            <Icon name={icon} />
            {text}
          </Link>
        </div>
      ))}
    </nav>
  )
}

const UserMenu = ({ onHelp }: { readonly onHelp: () => void }) => {
  const { access } = useSession()
  const [theme, nextTheme] = useTheme()
  const signOut = useSignOut()
  return (
    <div className="border-line flex items-center gap-1 border-t px-3 py-2">
      <p className="text-muted grow text-xs">{access === "operator" ? "Operator" : "Read-only key"}</p>
      <IconButton icon="theme" label={`Theme: ${theme}`} onClick={nextTheme} />
      <IconButton icon="help" label="Keyboard shortcuts (?)" onClick={onHelp} />
      <IconButton icon="out" label="Sign out" onClick={() => signOut.mutate()} />
    </div>
  )
}

/** What a session of an API key sees: the leads, and what needs no data of the server. */
const openToKeys = /\/(leads|simulator|api)$/

const Page = ({ brandId }: { readonly brandId: string }) => {
  const { access } = useSession()
  const { pathname } = useLocation()
  return access === "operator" || openToKeys.test(pathname) ? <Outlet /> : <NoAccess brandId={brandId} />
}

export const BrandShell = () => {
  const { brandId } = useParams({ from: "/brands/$brandId" })
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isHelpShown, setHelpShown] = useState(false)
  useEffect(() => lastBrand.write(brandId), [brandId])
  useGlobalKeys(brandId, () => setHelpShown(true))
  const closeMenu = () => setMenuOpen(false)
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="bg-accent text-on-accent sr-only z-50 rounded-md px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="border-line bg-surface flex flex-col border-b md:w-52 md:shrink-0 md:border-r md:border-b-0">
        <div className="flex items-center gap-2 px-3 py-2 md:hidden">
          <Logo />
          <span className="grow text-sm font-semibold">Lead Signals</span>
          <IconButton
            icon={isMenuOpen ? "close" : "menu"}
            label={isMenuOpen ? "Close the menu" : "Open the menu"}
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          />
        </div>
        <div className={`min-h-0 grow flex-col md:flex ${isMenuOpen ? "flex" : "hidden"}`}>
          <div className="hidden items-center gap-2 px-4 pt-4 pb-3 md:flex">
            <Logo />
            <span className="text-sm font-semibold">Lead Signals</span>
          </div>
          <BrandMenu brandId={brandId} />
          <div className="grow overflow-y-auto py-2">
            <Navigation brandId={brandId} onNavigate={closeMenu} />
          </div>
          <UserMenu onHelp={() => setHelpShown(true)} />
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="flex min-h-0 min-w-0 grow flex-col overflow-y-auto outline-none"
      >
        <Suspense fallback={<Loading />}>
          <Page brandId={brandId} />
        </Suspense>
      </main>
      {isHelpShown ? <ShortcutsDialog onClose={() => setHelpShown(false)} /> : null}
    </div>
  )
}
