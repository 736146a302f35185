/** The pages and their URLs. A page's code is loaded when it is first opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate
} from "@tanstack/react-router"
import { basePath } from "./api/client.ts"
import { readCampaignSearch } from "./campaigns/campaignSearch.ts"
import { readHomeSearch } from "./home/homeSearch.ts"
import { readLeadSearch } from "./leads/leadSearch.ts"
import { readLiveSearch } from "./live/liveSearch.ts"
import { readAuditSearch } from "./settings/auditSearch.ts"
import { readDeliverySearch } from "./settings/deliverySearch.ts"
import { readReferenceSearch } from "./reference/referenceSearch.ts"
import { readSimulationSearch } from "./simulator/simulationSearch.ts"
import { Landing } from "./shell/Landing.tsx"
import { Root } from "./shell/Root.tsx"
import { BrandShell } from "./shell/BrandShell.tsx"
import { PageFailure } from "./ui/States.tsx"

const root = createRootRoute({ component: Root, notFoundComponent: () => <Navigate to="/" /> })

const landing = createRoute({ getParentRoute: () => root, path: "/", component: Landing })

const brand = createRoute({ getParentRoute: () => root, path: "/brands/$brandId", component: BrandShell })

const home = createRoute({
  getParentRoute: () => brand,
  path: "/",
  validateSearch: readHomeSearch,
  component: lazyRouteComponent(() => import("./home/HomePage.tsx"), "HomePage")
})

const leads = createRoute({
  getParentRoute: () => brand,
  path: "/leads",
  validateSearch: readLeadSearch,
  component: lazyRouteComponent(() => import("./leads/LeadsPage.tsx"), "LeadsPage")
})

const live = createRoute({
  getParentRoute: () => brand,
  path: "/live",
  validateSearch: readLiveSearch,
  component: lazyRouteComponent(() => import("./live/LivePage.tsx"), "LivePage")
})

const campaigns = createRoute({
  getParentRoute: () => brand,
  path: "/campaigns",
  validateSearch: readCampaignSearch,
  component: lazyRouteComponent(() => import("./campaigns/CampaignsPage.tsx"), "CampaignsPage")
})

const imports = createRoute({
  getParentRoute: () => brand,
  path: "/import",
  component: lazyRouteComponent(() => import("./import/ImportPage.tsx"), "ImportPage")
})

const signals = createRoute({
  getParentRoute: () => brand,
  path: "/signals",
  component: lazyRouteComponent(() => import("./settings/SignalsPage.tsx"), "SignalsPage")
})

const keys = createRoute({
  getParentRoute: () => brand,
  path: "/settings/keys",
  component: lazyRouteComponent(() => import("./settings/KeysPage.tsx"), "KeysPage")
})

const webhooks = createRoute({
  getParentRoute: () => brand,
  path: "/settings/webhooks",
  component: lazyRouteComponent(() => import("./settings/WebhooksPage.tsx"), "WebhooksPage")
})

const webhook = createRoute({
  getParentRoute: () => brand,
  path: "/settings/webhooks/$webhookId",
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import("./settings/WebhookPage.tsx"), "WebhookPage")
})

const operators = createRoute({
  getParentRoute: () => brand,
  path: "/settings/operators",
  component: lazyRouteComponent(() => import("./settings/OperatorsPage.tsx"), "OperatorsPage")
})

const audit = createRoute({
  getParentRoute: () => brand,
  path: "/settings/audit",
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("./settings/AuditPage.tsx"), "AuditPage")
})

const simulator = createRoute({
  getParentRoute: () => brand,
  path: "/simulator",
  validateSearch: readSimulationSearch,
  component: lazyRouteComponent(() => import("./simulator/SimulatorPage.tsx"), "SimulatorPage")
})

const reference = createRoute({
  getParentRoute: () => brand,
  path: "/api",
  validateSearch: readReferenceSearch,
  component: lazyRouteComponent(() => import("./reference/ReferencePage.tsx"), "ReferencePage")
})

/** The same without a session: `/docs` leads here. */
const publicReference = createRoute({
  getParentRoute: () => root,
  path: "/api",
  validateSearch: readReferenceSearch,
  component: lazyRouteComponent(() => import("./reference/ReferencePage.tsx"), "PublicReferencePage")
})

/** Parameters stand in the URL as the API has them, not as JSON. */
const stringifySearch = (search: Record<string, unknown>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== "") query.set(name, String(value))
  }
  return query.size === 0 ? "" : `?${query}`
}

/**
 * Below `basePath`. A link loads the code of its page when it is pointed at. A page that throws shows `PageFailure`; an unknown path leads to the
 * first page.
 */
export const router = createRouter({
  routeTree: root.addChildren([
    landing,
    brand.addChildren([
      home,
      leads,
      live,
      campaigns,
      imports,
      signals,
      keys,
      webhooks,
      webhook,
      operators,
      audit,
      simulator,
      reference
    ]),
    publicReference
  ]),
  basepath: basePath,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: ({ error, reset }) => (
    <div className="p-6">
      <PageFailure error={error} onRetry={reset} />
    </div>
  )
})

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: typeof router
  }
}
