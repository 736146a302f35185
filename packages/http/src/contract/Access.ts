/** Who may call what: the API key of a brand, or an operator's token. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { CurrentOperator } from "../CurrentOperator.ts"
import { cookieName } from "../Sessions.ts"
import {
  ForbiddenFailure,
  InvalidApiKeyFailure,
  InvalidOperatorTokenFailure,
  RateLimitFailure,
  UnavailableFailure
} from "./Failures.ts"

const session = HttpApiSecurity.apiKey({ in: "cookie", key: cookieName }).pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "The cookie of a session, which `POST /session` begins")
)

/**
 * Lets requests pass that bear a valid API key, and spends one request of the key's window; answers others with
 * `InvalidApiKey` or `RateLimitExceeded`. [AUTH-1, RATE-3]
 */
export class ApiKeyAccess extends HttpApiMiddleware.Tag<ApiKeyAccess>()("@lead-signals/http/ApiKeyAccess", {
  failure: Schema.Union(InvalidApiKeyFailure, ForbiddenFailure, RateLimitFailure, UnavailableFailure),
  security: {
    apiKey: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Format, "API Key"),
      HttpApiSecurity.annotate(OpenApi.Description, "A brand's API key: `Authorization: Bearer <API_KEY>`")
    ),
    session
  }
}) {}

/**
 * Lets requests pass that bear an operator's token or the cookie of an operator's session, says who it is, and answers others with
 * `InvalidOperatorToken` or `Forbidden`. [OPER-1, OPER-11, SES-3, SES-5]
 */
export class OperatorAccess extends HttpApiMiddleware.Tag<OperatorAccess>()(
  "@lead-signals/http/OperatorAccess",
  {
    failure: Schema.Union(InvalidOperatorTokenFailure, ForbiddenFailure, UnavailableFailure),
    provides: CurrentOperator,
    security: {
      operatorToken: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "An operator's token: `Authorization: Bearer <OPERATOR_TOKEN>`"
        )
      ),
      session
    }
  }
) {}
