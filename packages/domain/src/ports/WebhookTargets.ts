/**
 * Which targets a webhook may have. The use cases check a URL when a webhook is created or changed, so that its owner hears of
 * a refusal at once; the sender checks each address again when it connects. [DELIV-6]
 */
import { Context, Effect } from "effect"
import { InvalidParameter } from "../model/Failure.ts"

/**
 * The port of a host for the check of webhook URLs. A host that sends no webhooks leaves the default, which lets none
 * be created.
 */
export class WebhookTargets extends Context.Reference<WebhookTargets>()(
  "@lead-signals/domain/WebhookTargets",
  {
    defaultValue: () => ({
      /**
       * Answers the URL in its normal form. Fails with `InvalidParameter` for a target that is not allowed. A host name that can't be
       * resolved now is accepted.
       */
      check: (_url: string): Effect.Effect<string, InvalidParameter> =>
        Effect.fail(
          new InvalidParameter({
            parameter: "url",
            message: "url takes no value here: this host sends no webhooks."
          })
        )
    })
  }
) {}
