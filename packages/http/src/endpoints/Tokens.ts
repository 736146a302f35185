/** The operator's calls about tokens of operators. [OPER-11] */
import { AccessTokens, AccessTokenStore, NewAccessToken } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect } from "effect"
import { created, data, list } from "../contract/Envelopes.ts"
import { AccessTokenBody, CreatedAccessTokenBody } from "../contract/TokenSchemas.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofOperatorToken } from "./Paths.ts"
import { accessTokenView } from "./Views.ts"

const collection = "/operator/tokens"

/** /operator/tokens. All need the scope admin and a token for all brands. [OPER-11, OPER-12] */
export const tokens = {
  createToken: operatorEndpoint(
    HttpApiEndpoint.post("createToken", collection)
      .setPayload(NewAccessToken)
      .addSuccess(data(CreatedAccessTokenBody), created),
    {
      scope: "admin",
      summary: "Create an operator's token; only this response has its value",
      description: "Only this response has the value of the token: the server keeps its hash.",
      body: "Who uses the token, and what it may do",
      fields: {
        name: ["Who or what uses the token", "collector"],
        scopes: ["What the token may do", ["ingest"]],
        brandIds: ["Ids of the brands that the token reaches; without it, or with null, all", ["1"]],
        expiresAt: [
          "From when on the token is refused: any timestamp that the filters take; without it, or with null, never",
          "2027-01-01T00:00:00.000Z"
        ]
      },
      answer: "The new token, with its value",
      handle: ({ body }) =>
        Effect.gen(function* () {
          const { token, value } = yield* AccessTokens.create(yield* body)
          return { data: { ...accessTokenView(token), token: value } }
        })
    }
  ),
  listTokens: operatorEndpoint(
    HttpApiEndpoint.get("listTokens", collection).addSuccess(list(AccessTokenBody)),
    {
      scope: "admin",
      summary: "Operators' tokens, also revoked and expired ones",
      description:
        "In order of creation, all without their values. The token of the environment is not among them.",
      answer: "All tokens",
      handle: () =>
        Effect.flatMap(AccessTokenStore, (store) =>
          Effect.map(store.list, (all) => ({ data: all.map(accessTokenView) }))
        )
    }
  ),
  revokeToken: operatorEndpoint(
    HttpApiEndpoint.del("revokeToken", `${collection}/:tokenId`).setPath(ofOperatorToken),
    {
      scope: "admin",
      summary: "Revoke an operator's token",
      description:
        "Once this call has returned, no call with the token succeeds, and no session that it began. Revoking a token again is no error.",
      answer: "It is revoked",
      handle: ({ path }) => AccessTokens.revoke(path.tokenId)
    }
  )
}
