/** The operator's calls about API keys. */
import { Keys, KeyStore, NewKey } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Context, Effect } from "effect"
import { checkAllowed } from "../ClientAddress.ts"
import { created, data, list } from "../contract/Envelopes.ts"
import { CreatedKeyBody, KeyBody } from "../contract/OperatorSchemas.ts"
import { listOfBrand } from "./BrandList.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand, ofKey } from "./Paths.ts"
import { keyView } from "./Views.ts"

/** Requests a minute of a key that is created without a limit of its own. [RATE-1] */
export class DefaultRateLimit extends Context.Tag("@lead-signals/http/DefaultRateLimit")<
  DefaultRateLimit,
  number
>() {}

/** /operator/brands/:brandId/keys. Listing needs the scope read, the rest admin. [AUTH-4 … AUTH-10] */
export const keys = {
  createKey: operatorEndpoint(
    HttpApiEndpoint.post("createKey", "/operator/brands/:brandId/keys")
      .setPath(ofBrand)
      .setPayload(NewKey)
      .addSuccess(data(CreatedKeyBody), created),
    {
      scope: "admin",
      summary: "Create an API key; only this response has its value",
      description: "Only this response has the value of the key: the server keeps its hash.",
      body: "What the key is for",
      fields: {
        label: ["What the key is for", "crm"],
        requestsPerMinute: ["How many requests a minute the key may make", 60],
        scopes: ["What the key reads; without it everything", ["leads"]],
        expiresAt: [
          "From when on the key is refused: any timestamp that the filters take; without it, or with null, never",
          "2027-01-01T00:00:00.000Z"
        ],
        allowedAddresses: [
          "Addresses and ranges from which the key works; without it, or with null, all",
          ["192.0.2.0/24"]
        ]
      },
      answer: "The new key, with its value",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const given = yield* body
          yield* checkAllowed(given.allowedAddresses)
          const requestsPerMinute = given.requestsPerMinute ?? (yield* DefaultRateLimit)
          const { key, value } = yield* Keys.create(path.brandId, { ...given, requestsPerMinute })
          return { data: { ...keyView(key), key: value } }
        })
    }
  ),
  listKeys: operatorEndpoint(
    HttpApiEndpoint.get("listKeys", "/operator/brands/:brandId/keys")
      .setPath(ofBrand)
      .addSuccess(list(KeyBody)),
    {
      scope: "read",
      summary: "The brand's keys, also revoked ones",
      description: "Also revoked ones, all without their values.",
      answer: "The brand's keys",
      handle: ({ path }) =>
        listOfBrand(path.brandId, (id) => Effect.flatMap(KeyStore, (store) => store.list(id)), keyView)
    }
  ),
  revokeKey: operatorEndpoint(
    HttpApiEndpoint.del("revokeKey", "/operator/brands/:brandId/keys/:keyId").setPath(ofKey),
    {
      scope: "admin",
      summary: "Revoke a key",
      description:
        "Once this call has returned, no request with the key succeeds. Revoking a key again is no error.",
      answer: "It is revoked",
      handle: ({ path }) => Keys.revoke(path.brandId, path.keyId)
    }
  )
}
