/** The operator's calls about API keys. */
import { Keys, KeyStore, NewKey } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Context, Effect } from "effect"
import { created, data, list } from "../contract/Envelopes.ts"
import { CreatedKeyBody, KeyBody } from "../contract/OperatorSchemas.ts"
import { listOfBrand } from "./BrandList.ts"
import { endpoint } from "./Endpoint.ts"
import { ofBrand, ofKey } from "./Paths.ts"
import { keyView } from "./Views.ts"

/** Requests a minute of a key that is created without a limit of its own. [RATE-1] */
export class DefaultRateLimit extends Context.Tag("@lead-signals/http/DefaultRateLimit")<
  DefaultRateLimit,
  number
>() {}

export const keys = {
  createKey: endpoint(
    HttpApiEndpoint.post("createKey", "/operator/brands/:brandId/keys")
      .setPath(ofBrand)
      .setPayload(NewKey)
      .addSuccess(data(CreatedKeyBody), created),
    {
      summary: "Create an API key; only this response has its value",
      description: "Only this response has the value of the key: the server keeps its hash.",
      body: "What the key is for",
      fields: {
        label: ["What the key is for", "crm"],
        requestsPerMinute: ["How many requests a minute the key may make", 60]
      },
      answer: "The new key, with its value",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { label, requestsPerMinute } = yield* body
          const limit = requestsPerMinute ?? (yield* DefaultRateLimit)
          const { key, value } = yield* Keys.create(path.brandId, { label, requestsPerMinute: limit })
          return { data: { ...keyView(key), key: value } }
        })
    }
  ),
  listKeys: endpoint(
    HttpApiEndpoint.get("listKeys", "/operator/brands/:brandId/keys")
      .setPath(ofBrand)
      .addSuccess(list(KeyBody)),
    {
      summary: "The brand's keys, also revoked ones",
      description: "Also revoked ones, all without their values.",
      answer: "The brand's keys",
      handle: ({ path }) =>
        listOfBrand(path.brandId, (id) => Effect.flatMap(KeyStore, (store) => store.list(id)), keyView)
    }
  ),
  revokeKey: endpoint(
    HttpApiEndpoint.del("revokeKey", "/operator/brands/:brandId/keys/:keyId").setPath(ofKey),
    {
      summary: "Revoke a key",
      description:
        "Once this call has returned, no request with the key succeeds. Revoking a key again is no error.",
      answer: "It is revoked",
      handle: ({ path }) => Keys.revoke(path.brandId, path.keyId)
    }
  )
}
