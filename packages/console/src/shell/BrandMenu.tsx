/** The brand whose pages are shown, and the others. */
import { Menu } from "@base-ui/react/menu"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { brandsQuery } from "../api/queries.ts"
import { useSession } from "../session/session.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { menuItemClass, menuPopupClass } from "../ui/menu.ts"
import { NewBrandForm } from "./NewBrand.tsx"

const frame = "border-line mx-3 my-1 flex h-9 items-center gap-2 rounded-md border px-2.5 text-sm font-medium"

const OperatorBrandMenu = ({ brandId }: { readonly brandId: string }) => {
  const navigate = useNavigate()
  const { data: brands = [] } = useQuery(brandsQuery)
  const [isCreating, setCreating] = useState(false)
  const current = brands.find(({ id }) => id === brandId)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          className={`${frame} hover:border-edge text-left`}
          aria-label={`Brand: ${current?.name ?? brandId}`}
        >
          <span className="grow truncate">{current?.name ?? `Brand ${brandId}`}</span>
          <Icon name="down" className="text-muted size-3.5" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="start" className="z-50">
            <Menu.Popup className={menuPopupClass}>
              {brands.map(({ deletionStartedAt, id, name }) => (
                <Menu.Item
                  key={id}
                  className={menuItemClass}
                  onClick={() => void navigate({ to: "/brands/$brandId", params: { brandId: id } })}
                >
                  <span className="grow truncate">{name}</span>
                  {deletionStartedAt === null ? null : (
                    <span className="text-muted text-xs">being deleted</span>
                  )}
                  {id === brandId ? <Icon name="check" /> : null}
                </Menu.Item>
              ))}
              <Menu.Separator className="bg-line my-1 h-px" />
              <Menu.Item className={menuItemClass} onClick={() => setCreating(true)}>
                <Icon name="plus" /> New brand
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isCreating ? (
        <Dialog title="New brand" onClose={() => setCreating(false)}>
          <NewBrandForm onCreated={() => setCreating(false)} />
        </Dialog>
      ) : null}
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
