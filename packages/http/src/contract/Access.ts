/** Who may call what: the API key of a brand, or the operator's token. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import {
  InvalidApiKeyFailure,
  InvalidOperatorTokenFailure,
  RateLimitFailure,
  UnavailableFailure
} from "./Failures.ts"

/** Finds the key and spends one request of its window. */
export class ApiKeyAccess extends HttpApiMiddleware.Tag<ApiKeyAccess>()("@lead-signals/http/ApiKeyAccess", {
  failure: Schema.Union(InvalidApiKeyFailure, RateLimitFailure, UnavailableFailure),
  security: {
    apiKey: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Format, "API Key"),
      HttpApiSecurity.annotate(OpenApi.Description, "A brand's API key: `Authorization: Bearer <API_KEY>`")
    )
  }
}) {}

export class OperatorAccess extends HttpApiMiddleware.Tag<OperatorAccess>()(
  "@lead-signals/http/OperatorAccess",
  {
    failure: InvalidOperatorTokenFailure,
    security: {
      operatorToken: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "The operator's token: `Authorization: Bearer <OPERATOR_TOKEN>`"
        )
      )
    }
  }
) {}
