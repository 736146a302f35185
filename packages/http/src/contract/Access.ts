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

/**
 * Lets requests pass that bear a valid API key, and spends one request of the key's window; answers others with
 * `InvalidApiKey` or `RateLimitExceeded`. [AUTH-1, RATE-3]
 */
export class ApiKeyAccess extends HttpApiMiddleware.Tag<ApiKeyAccess>()("@lead-signals/http/ApiKeyAccess", {
  failure: Schema.Union(InvalidApiKeyFailure, RateLimitFailure, UnavailableFailure),
  security: {
    apiKey: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Format, "API Key"),
      HttpApiSecurity.annotate(OpenApi.Description, "A brand's API key: `Authorization: Bearer <API_KEY>`")
    )
  }
}) {}

/** Lets requests pass that bear the operator's token, and answers others with `InvalidOperatorToken`. */
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
