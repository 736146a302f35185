/** The first page: the brand that was open last, or the first; without any, the form that creates one. */
import { useQuery } from "@tanstack/react-query"
import { Navigate } from "@tanstack/react-router"
import type { Session } from "../api/client.ts"
import { brandsQuery } from "../api/queries.ts"
import { hasScope, isUnlimited } from "../session/permissions.ts"
import { useSession, useSignOut } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { FirstBrand } from "./FirstBrand.tsx"
import { lastBrand } from "./lastBrand.ts"
import { firstPage } from "./pages.ts"

const OperatorLanding = () => {
  const session = useSession()
  const { data: brands, error, refetch } = useQuery(brandsQuery)
  if (error !== null)
    return (
      <main className="p-6">
        <Failure error={error} onRetry={() => void refetch()} />
      </main>
    )
  if (brands === undefined) return <Loading />
  const brand = brands.find(({ id }) => id === lastBrand.read()) ?? brands[0]
  const mayCreate = hasScope(session, "admin") && isUnlimited(session)
  return brand === undefined ? (
    mayCreate ? (
      <FirstBrand />
    ) : (
      <Empty isPage icon="signal" title="No brands yet">
        An operator whose token has the scope admin creates the first.
      </Empty>
    )
  ) : (
    <Navigate to="/brands/$brandId" params={{ brandId: brand.id }} replace />
  )
}

/** A token without the scope `read` can't list brands: it opens the first that it names. */
const UnlistedLanding = ({ session }: { readonly session: Session }) => {
  const signOut = useSignOut()
  const brandId = session.brandIds?.[0]
  return brandId === undefined ? (
    <main className="mx-auto max-w-md p-6">
      <Empty
        isPage
        icon="key"
        title="This token opens no page"
        action={<Button onClick={() => signOut.mutate()}>Sign out</Button>}
      >
        It has {session.scopes?.join(", ")}. The console lists brands with the scope read: sign in with a
        token that has it, or that is limited to a brand.
      </Empty>
    </main>
  ) : (
    <Navigate to={firstPage(session).to} params={{ brandId }} replace />
  )
}

/** Leads a key to its leads, and a token without `read` to the first brand that it names. */
export const Landing = () => {
  const session = useSession()
  if (session.brand !== null)
    return <Navigate to="/brands/$brandId/leads" params={{ brandId: session.brand.id }} replace />
  return hasScope(session, "read") ? <OperatorLanding /> : <UnlistedLanding session={session} />
}
