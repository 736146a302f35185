/** The brand whose pages are shown, and the others. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { brandsQuery } from "../api/queries.ts"
import { hasScope, isUnlimited } from "../session/permissions.ts"
import { useSession } from "../session/session.ts"
import { Icon } from "../ui/Icon.tsx"
import { lazyDialog } from "../ui/lazyDialog.tsx"

const NewBrandDialog = lazyDialog(async () => (await import("./NewBrandDialog.tsx")).NewBrandDialog)

/** The choice that is no brand: ids are digits. */
const newBrand = "new"

const frame = "border-line mx-3 my-1 flex h-9 items-center gap-2 rounded-md border px-2.5 text-sm font-medium"

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
      <span className={`${frame} hover:border-edge relative pr-0`}>
        <select
          aria-label="Brand"
          value={brandId}
          onChange={(event) => choose(event.target.value)}
          className="h-full min-w-0 grow cursor-pointer appearance-none truncate bg-transparent pr-7"
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
        </select>
        <Icon name="down" className="text-muted pointer-events-none absolute right-2.5 size-3.5" />
      </span>
      {isCreating ? <NewBrandDialog onClose={() => setCreating(false)} /> : null}
    </>
  )
}

export const BrandMenu = ({ brandId }: { readonly brandId: string }) => {
  const { brand } = useSession()
  return brand === null ? (
    <OperatorBrandMenu brandId={brandId} />
  ) : (
    <p className={frame}>
      <span className="truncate">{brand.name}</span>
    </p>
  )
}
