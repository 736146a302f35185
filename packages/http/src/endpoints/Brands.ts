/** The operator's calls about brands. */
import { Brands, BrandStore, NewBrand, Renaming } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect } from "effect"
import { created, data, list } from "../contract/Envelopes.ts"
import { BrandBody, DeletionBody } from "../contract/OperatorSchemas.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { CurrentOperator, reaches } from "../CurrentOperator.ts"
import { ofBrand } from "./Paths.ts"
import { brandView } from "./Views.ts"

/** /operator/brands. Listing needs the scope read, the rest admin. [OPER-2, DEL-1] */
export const brands = {
  createBrand: operatorEndpoint(
    HttpApiEndpoint.post("createBrand", "/operator/brands")
      .setPayload(NewBrand)
      .addSuccess(data(BrandBody), created),
    {
      scope: "admin",
      summary: "Create a brand",
      description: "A new brand is empty.",
      body: "The brand",
      fields: { name: ["Name of the brand", "Northwind"] },
      answer: "The new brand",
      handle: ({ body }) =>
        Effect.gen(function* () {
          const { name } = yield* body
          return { data: brandView(yield* Brands.create(name)) }
        })
    }
  ),
  listBrands: operatorEndpoint(
    HttpApiEndpoint.get("listBrands", "/operator/brands").addSuccess(list(BrandBody)),
    {
      scope: "read",
      takesLimited: true,
      summary: "All brands",
      description: "In order of creation, those that the token reaches.",
      answer: "All brands",
      handle: () =>
        Effect.gen(function* () {
          const [brandStore, operator] = yield* Effect.all([BrandStore, CurrentOperator])
          const all = yield* brandStore.list
          return { data: all.filter(({ id }) => reaches(operator, id)).map(brandView) }
        })
    }
  ),
  renameBrand: operatorEndpoint(
    HttpApiEndpoint.patch("renameBrand", "/operator/brands/:brandId")
      .setPath(ofBrand)
      .setPayload(Renaming)
      .addSuccess(data(BrandBody)),
    {
      scope: "admin",
      summary: "Rename a brand",
      description: "Its keys, leads and webhooks stay as they are.",
      body: "The new name",
      fields: { name: ["New name of the brand", "Northwind"] },
      answer: "The brand as it is now",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { name } = yield* body
          return { data: brandView(yield* Brands.rename(path.brandId, name)) }
        })
    }
  ),
  deleteBrand: operatorEndpoint(
    HttpApiEndpoint.del("deleteBrand", "/operator/brands/:brandId")
      .setPath(ofBrand)
      .addSuccess(data(DeletionBody)),
    {
      scope: "admin",
      summary: "Delete a brand with all its data, in several calls",
      description:
        "Removes everything of the brand: leads, engagements, hashes of erased persons, deliveries, webhooks, campaigns, signals and keys. The first call revokes its keys; from its answer on the brand is 404 for everything but this operation, and listed with deletionStartedAt. Each call removes some thousand leads: call again until deleted is true, also after a failure; then the brand is 404 here, too.",
      answer: "Progress of the deletion",
      handle: ({ path }) =>
        Effect.map(Brands.deleteSome(path.brandId), ({ isFinished, leadsLeft }) => ({
          data: { deleted: isFinished, leadsLeft }
        }))
    }
  )
}
