/** The operator's calls about signals. */
import { NewSignal, Renaming, Signals, SignalStore } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect } from "effect"
import { created, data, list } from "../contract/Envelopes.ts"
import { companyDescriptions } from "../contract/ObservationSchema.ts"
import { SignalBody } from "../contract/OperatorSchemas.ts"
import { listOfBrand } from "./BrandList.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand, ofSignal } from "./Paths.ts"
import { signalView } from "./Views.ts"

/** /operator/brands/:brandId/signals. Listing needs the scope read, the rest admin. [OPER-2, DEL-2] */
export const signals = {
  createSignal: operatorEndpoint(
    HttpApiEndpoint.post("createSignal", "/operator/brands/:brandId/signals")
      .setPath(ofBrand)
      .setPayload(NewSignal)
      .addSuccess(data(SignalBody), created),
    {
      scope: "admin",
      summary: "Create a signal",
      description:
        "A thing that the brand watches. The source's value is a URL for li-company-url, li-profile-url and post-url, words for the others. li-company-mention alone takes liCompanyId.",
      body: "The signal to create",
      fields: {
        name: ["Name of the signal", "Rivals"],
        signalType: ["What kind of thing the signal watches, as the brand names it", "competitor-posts"],
        source: ["What the signal was watching"],
        "source.value": [
          "The watched URL or words, exactly as the brand configured them",
          "https://network.example/company/rival"
        ],
        "source.liCompanyId": ["Numeric id of the company; on li-company-mention only", null],
        "source.company": ["The employer or the watched company in full; null when it is not known"],
        ...companyDescriptions("source.company"),
        "source.company.id": ["Id of the company on the network", 880],
        "source.company.name": ["Name of the company", "Rival"],
        "source.company.username": ["Vanity name of the company's page", "rival"],
        "source.company.description": ["What the company says of itself", "We do the same."]
      },
      answer: "The new signal",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const signal = yield* body
          return { data: signalView(yield* Signals.create(path.brandId, signal)) }
        })
    }
  ),
  listSignals: operatorEndpoint(
    HttpApiEndpoint.get("listSignals", "/operator/brands/:brandId/signals")
      .setPath(ofBrand)
      .addSuccess(list(SignalBody)),
    {
      scope: "read",
      summary: "The brand's signals",
      description: "In order of creation.",
      answer: "The brand's signals",
      handle: ({ path }) =>
        listOfBrand(path.brandId, (id) => Effect.flatMap(SignalStore, (store) => store.list(id)), signalView)
    }
  ),
  renameSignal: operatorEndpoint(
    HttpApiEndpoint.patch("renameSignal", "/operator/brands/:brandId/signals/:id")
      .setPath(ofSignal)
      .setPayload(Renaming)
      .addSuccess(data(SignalBody)),
    {
      scope: "admin",
      summary: "Rename a signal",
      description:
        "Engagements show the name as it is when they are read, events as it is when they are first sent. No lead's updatedAt moves.",
      body: "The new name",
      fields: { name: ["New name of the signal", "Rivals"] },
      answer: "The signal as it is now",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { name } = yield* body
          return { data: signalView(yield* Signals.rename(path.brandId, path.id, name)) }
        })
    }
  ),
  deleteSignal: operatorEndpoint(
    HttpApiEndpoint.del("deleteSignal", "/operator/brands/:brandId/signals/:id").setPath(ofSignal),
    {
      scope: "admin",
      summary: "Delete a signal; its leads stay",
      description:
        "Once this call has returned, the service rejects observations of the signal as of an unknown one. Leads and engagements that it caught stay and still show it, also when filtered by it: erase a lead to remove a person.",
      answer: "It is deleted",
      handle: ({ path }) => Signals.remove(path.brandId, path.id)
    }
  )
}
