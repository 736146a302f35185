/** What calls with an Idempotency-Key can be answered besides their own answers, and what the OpenAPI document says of them. [IDEM-2 … IDEM-6] */
import { Idempotency } from "@lead-signals/domain"
import type { ErrorResponse } from "./ErrorResponse.ts"

/** The header of an answer that was given before. */
export const replayedHeader = "idempotent-replayed"

/** Another call with the key is under way, in this process or another, or was until its process ended. */
export const keyInUse: ErrorResponse = {
  status: 409,
  code: "idempotency_key_in_use",
  message: "Another call with this Idempotency-Key is under way; send it again after Retry-After seconds."
}

/** The call took effect, and its answer was never kept. */
export const answerLost: ErrorResponse = {
  status: 409,
  code: "idempotency_answer_lost",
  message:
    "A call with this Idempotency-Key may have taken effect, and its answer is lost: look at what is there, and use another key."
}

/** The key was used for another request. */
export const keyReused: ErrorResponse = {
  status: 422,
  code: "idempotency_key_reused",
  message: "This Idempotency-Key was used for another request; a new request takes a new key."
}

/** The operator has too many keys in use. */
export const tooManyKeys: ErrorResponse & { readonly retryAfterSeconds: number } = {
  status: 429,
  code: "too_many_idempotency_keys",
  message: `This operator has ${Idempotency.maxPerActor.toLocaleString("en-US")} Idempotency-Keys in use, each for a day; call without one, or later.`,
  retryAfterSeconds: 600
}

/** In the order of statuses. */
export const idempotencyErrors: ReadonlyArray<ErrorResponse> = [keyInUse, answerLost, keyReused, tooManyKeys]

type Json = Record<string, any>

const retryAfter = { description: "Seconds to wait", schema: { type: "integer", minimum: 1 }, example: 10 }

const responseWith = (
  description: string,
  example: ErrorResponse,
  headers: Json = {}
): { readonly description: string; readonly content: Json; readonly headers: Json } => ({
  description,
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      example: { error: { code: example.code, message: example.message } }
    }
  },
  headers
})

/** Says of an operation that it takes the header, and what it then can answer. */
export const documentKey = (operation: Json): void => {
  operation["parameters"] = [
    ...(operation["parameters"] ?? []),
    {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      schema: { type: "string", minLength: 16 },
      description:
        "Makes the call safe to repeat for a day: the same key with the same request gets the same answer, and nothing is done twice. A string as of RFC 8941, or bare; 16 to 255 characters, such as a UUID",
      example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"'
    }
  ]
  Object.assign(operation["responses"], {
    "409": responseWith(
      "Another call with the Idempotency-Key is under way, or took effect and its answer is lost",
      keyInUse,
      { "Retry-After": retryAfter }
    ),
    "422": responseWith("The Idempotency-Key was used for another request", keyReused),
    "429": responseWith("Too many Idempotency-Keys are in use", tooManyKeys, { "Retry-After": retryAfter })
  })
  for (const [status, response] of Object.entries<Json>(operation["responses"])) {
    if (!status.startsWith("2") && status !== "400" && status !== "404") continue
    response["headers"] = {
      ...response["headers"],
      "Idempotent-Replayed": {
        description: "There on an answer that an earlier call with the Idempotency-Key had",
        schema: { type: "string", enum: ["true"] },
        example: "true"
      }
    }
  }
}
