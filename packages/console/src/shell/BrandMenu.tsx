/** The brand whose pages are shown, and the others. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { brandsQuery } from "../api/queries.ts"
import { hasScope, isUnlimited } from "../session/permissions.ts"
import { useSession } from "../session/session.ts"
import { lazyDialog } from "../ui/lazyDialog.tsx"
import { Select } from "../ui/Select.tsx"

const NewBrandDialog = lazyDialog(async () => (await import("./NewBrandDialog.tsx")).NewBrandDialog)

/** The choice that is no brand: ids are digits. */
const newBrand = "new"

const OperatorBrandMenu = ({ brandId }: { readonly brandId: string }) => {
  const navigate = useNavigate()
  const session = useSession()
  const { data: brands = [] } = useQuery({ ...brandsQuery, enabled: hasScope(session, "read") })
  const mayCreate = hasScope(session, "admin") && isUnlimited(session)
  const [isCreating, setCreating] = useState(false)
  const choose = (chosen: string) =>
    chosen === newBrand
      ? setCreating(true)
      : void navigate({ to: "/brands/$brandId", params: { brandId: chosen } })
  return (
    <>
      <Select
        aria-label="Brand"
        className="mx-3 my-1 flex!"
        value={brandId}
        onChange={(event) => choose(event.target.value)}
      >
        {brands.some(({ id }) => id === brandId) ? null : (
          <option value={brandId}>{`Brand ${brandId}`}</option>
        )}
        {brands.map(({ deletionStartedAt, id, name }) => (
          <option key={id} value={id}>
            {deletionStartedAt === null ? name : `${name} (being deleted)`}
          </option>
        ))}
        {mayCreate ? (
          <>
            <hr />
            <option value={newBrand}>New brand …</option>
          </>
        ) : null}
      </Select>
      {isCreating ? <NewBrandDialog onClose={() => setCreating(false)} /> : null}
    </>
  )
}

/**
 * For operators a choice of brands and, with `admin` for all of them, "New brand …"; for a key the name of its brand. A brand that is being deleted
 * is marked.
 */
export const BrandMenu = ({ brandId }: { readonly brandId: string }) => {
  const { brand } = useSession()
  return brand === null ? (
    <OperatorBrandMenu brandId={brandId} />
  ) : (
    <p className="border-line touch:h-11 mx-3 my-1 flex h-8 items-center rounded-md border px-2.5 text-sm font-medium">
      <span className="truncate">{brand.name}</span>
    </p>
  )
}
