/** The first page: the brand that was open last, or the first; without any, the form that creates one. */
import { useQuery } from "@tanstack/react-query"
import { Navigate } from "@tanstack/react-router"
import { brandsQuery } from "../api/queries.ts"
import { useSession } from "../session/session.ts"
import { Failure, Loading } from "../ui/States.tsx"
import { FirstBrand } from "./FirstBrand.tsx"
import { lastBrand } from "./lastBrand.ts"

const OperatorLanding = () => {
  const { data: brands, error, refetch } = useQuery(brandsQuery)
  if (error !== null)
    return (
      <main className="p-6">
        <Failure error={error} onRetry={() => void refetch()} />
      </main>
    )
  if (brands === undefined) return <Loading />
  const brand = brands.find(({ id }) => id === lastBrand.read()) ?? brands[0]
  return brand === undefined ? (
    <FirstBrand />
  ) : (
    <Navigate to="/brands/$brandId" params={{ brandId: brand.id }} replace />
  )
}

export const Landing = () => {
  const { brand } = useSession()
  return brand === null ? (
    <OperatorLanding />
  ) : (
    <Navigate to="/brands/$brandId/leads" params={{ brandId: brand.id }} replace />
  )
}
