/** The frame of a brand's pages: navigation, the brand, the user's menu, and the keys that work everywhere. */
import { useQuery } from "@tanstack/react-query"
import { Link, Navigate, Outlet, useLocation, useParams } from "@tanstack/react-router"
import { Suspense, useEffect, useState } from "react"
import { brandsQuery } from "../api/queries.ts"
import { allScopes, hasScope } from "../session/permissions.ts"
import { useSession, useSignOut } from "../session/session.ts"
import { IconButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Logo } from "../ui/Logo.tsx"
import { lazyDialog } from "../ui/lazyDialog.tsx"
import { Loading } from "../ui/States.tsx"
import { BrandMenu } from "./BrandMenu.tsx"
import { lastBrand } from "./lastBrand.ts"
import { NoBrand } from "./NoBrand.tsx"
import { NoAccess } from "./NoAccess.tsx"
import { pageAt, pages } from "./pages.ts"
import { useGlobalKeys } from "./shortcuts.ts"
import { useTheme } from "./theme.ts"

const ShortcutsDialog = lazyDialog(async () => (await import("./ShortcutsDialog.tsx")).ShortcutsDialog)

const Navigation = ({
  brandId,
  onNavigate
}: {
  readonly brandId: string
  readonly onNavigate: () => void
}) => {
  const session = useSession()
  const visiblePages = pages.filter(({ opens }) => opens(session))
  return (
    <nav aria-label="Pages" className="flex flex-col gap-0.5 px-2">
      {visiblePages.map(({ group, icon, text, to }, i) => (
        <div key={to}>
          {group === null || group === visiblePages[i - 1]?.group ? null : (
            <p className="text-muted px-2 pt-4 pb-1 text-xs font-medium">{group}</p>
          )}
          <Link
            to={to}
            params={{ brandId }}
            activeOptions={{ exact: to === pages[0].to, includeSearch: false }}
            onClick={onNavigate}
            className="text-muted hover:bg-sunken hover:text-ink touch:h-11 flex h-8 items-center gap-2.5 rounded-md px-2 text-sm font-medium"
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
  const { access, scopes } = useSession()
  const [theme, nextTheme] = useTheme()
  const signOut = useSignOut()
  return (
    <div className="border-line flex items-center gap-1 border-t px-3 py-2">
      <p className="text-muted grow text-xs">
        {access === "brand"
          ? "Read-only key"
          : scopes?.length === allScopes.length
            ? "Operator"
            : `Operator: ${scopes?.join(", ")}`}
      </p>
      <IconButton icon="theme" label={`Theme: ${theme}`} onClick={nextTheme} />
      <IconButton icon="help" label="Keyboard shortcuts (?)" onClick={onHelp} />
      <IconButton icon="out" label="Sign out" onClick={() => signOut.mutate()} />
    </div>
  )
}

const OpenedPage = ({ brandId }: { readonly brandId: string }) => {
  const session = useSession()
  const { pathname } = useLocation()
  const page = pageAt(pathname)
  const listsBrands = session.brand === null && hasScope(session, "read")
  const { data: brands, isFetching } = useQuery({ ...brandsQuery, enabled: listsBrands })
  if (!page.opens(session)) return <NoAccess brandId={brandId} page={page} />
  // One that was just created is not on a list that is being read.
  const isMissing = !isFetching && brands !== undefined && !brands.some(({ id }) => id === brandId)
  return isMissing ? <NoBrand /> : <Outlet />
}

/**
 * The frame around the page, at the left from 768 px. Below that it is a bar whose menu lies over the page; Escape, a link or a wider window closes
 * it. A page that the session does not open is replaced by `NoAccess`.
 */
export const BrandShell = () => {
  const { brandId } = useParams({ from: "/brands/$brandId" })
  const session = useSession()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isHelpVisible, setHelpVisible] = useState(false)
  useEffect(() => lastBrand.write(brandId), [brandId])
  useGlobalKeys(brandId, () => setHelpVisible(true))
  const closeMenu = () => setMenuOpen(false)
  useEffect(() => {
    if (!isMenuOpen) return
    const listen = ({ key }: KeyboardEvent) => key === "Escape" && setMenuOpen(false)
    // A wider window has the menu beside the page.
    const wide = matchMedia("(width >= 48rem)")
    wide.addEventListener("change", closeMenu)
    document.addEventListener("keydown", listen)
    return () => {
      wide.removeEventListener("change", closeMenu)
      document.removeEventListener("keydown", listen)
    }
  }, [isMenuOpen])
  // A key's calls name no brand: under the address of another one its leads would stand as that one's.
  if (session.brand !== null && session.brand.id !== brandId)
    return <Navigate to="/brands/$brandId/leads" params={{ brandId: session.brand.id }} replace />
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="bg-accent text-on-accent sr-only z-50 rounded-md px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="border-line bg-surface flex flex-col border-b md:w-52 md:shrink-0 md:border-r md:border-b-0">
        <div className="flex h-15 items-center gap-2 px-3 md:hidden">
          <Logo />
          <span className="grow text-sm font-semibold">Lead Signals</span>
          <IconButton
            icon={isMenuOpen ? "close" : "menu"}
            label={isMenuOpen ? "Close the menu" : "Open the menu"}
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          />
        </div>
        {/* On a phone the menu lies over the page, which stays as it is below. */}
        <div
          className={`min-h-0 grow flex-col md:flex ${isMenuOpen ? "bg-surface fixed inset-x-0 top-[calc(3.75rem+1px)] bottom-0 z-40 flex pt-2" : "hidden"}`}
        >
          <div className="hidden items-center gap-2 px-4 pt-4 pb-3 md:flex">
            <Logo />
            <span className="text-sm font-semibold">Lead Signals</span>
          </div>
          <BrandMenu brandId={brandId} />
          <div className="grow overflow-y-auto py-2">
            <Navigation brandId={brandId} onNavigate={closeMenu} />
          </div>
          <UserMenu onHelp={() => setHelpVisible(true)} />
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        inert={isMenuOpen}
        className="flex min-h-0 min-w-0 grow flex-col overflow-y-auto outline-none"
      >
        <Suspense fallback={<Loading />}>
          <OpenedPage brandId={brandId} />
        </Suspense>
      </main>
      {isHelpVisible ? <ShortcutsDialog onClose={() => setHelpVisible(false)} /> : null}
    </div>
  )
}
