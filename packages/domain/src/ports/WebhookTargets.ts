/**
 * Which targets a webhook may have. Judged when one is created or changed, so that its owner hears of it at once; what is
 * actually dialled is checked again by the sender. [DELIV-6]
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
      /** Answers the URL in its normal form. A name that can't be resolved now is no reason to refuse it. */
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
