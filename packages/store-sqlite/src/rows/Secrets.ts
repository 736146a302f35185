/** The secrets of brands and webhooks in their columns: wrapped where the store has an encryption key. [PII-4] */
import type { Brand, Webhook } from "@lead-signals/domain"
import {
  secretContexts,
  type SecretWrapper,
  unwrapWithout,
  type UnreadableSecret
} from "@lead-signals/encryption"
import { Either } from "effect"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { KeyProblem } from "../connection/FileKey.ts"
import { brandOf, type BrandRow, webhookOf, type WebhookRow } from "@lead-signals/sql-rows"

/** A deleted brand has an empty secret, which stays as it is. */
const isKept = (secret: string): boolean => secret !== ""

/** Reads and writes the columns of secrets. Reading throws a `KeyProblem` where a secret can't be unwrapped. */
export class Secrets {
  private readonly wrapper: SecretWrapper | undefined

  constructor(wrapper: SecretWrapper | undefined) {
    this.wrapper = wrapper
  }

  private wrap(secret: string, context: string): string {
    return this.wrapper === undefined || !isKept(secret) ? secret : this.wrapper.wrap(secret, context)
  }

  private unwrap(stored: string, context: string): string {
    const secret = this.wrapper?.unwrap(stored, context) ?? unwrapWithout(stored)
    return Either.getOrThrowWith(secret, ({ message }: UnreadableSecret) => new KeyProblem(message))
  }

  /** The value of `brand.suppression_secret`. */
  suppression(brandId: string | number, secret: string): string {
    return this.wrap(secret, secretContexts.suppression(brandId))
  }

  /** The value of `webhook.secrets`, of JSON. */
  webhook(brandId: string | number, webhookId: string | number, secrets: string): string {
    return this.wrap(secrets, secretContexts.webhook(brandId, webhookId))
  }

  /** The secret of a value of `brand.suppression_secret`. */
  suppressionOf(brandId: string | number, stored: string): string {
    return this.unwrap(stored, secretContexts.suppression(brandId))
  }

  /** The JSON of a value of `webhook.secrets`. */
  webhookSecretsOf(brandId: string | number, webhookId: string | number, stored: string): string {
    return this.unwrap(stored, secretContexts.webhook(brandId, webhookId))
  }

  /** The brand of a row. */
  readonly brandOf = (row: BrandRow): Brand =>
    brandOf({ ...row, suppression_secret: this.suppressionOf(row.id, row.suppression_secret) })

  /** The webhook of a row. */
  readonly webhookOf = (row: WebhookRow): Webhook =>
    webhookOf({ ...row, secrets: this.webhookSecretsOf(row.brand_id, row.id, row.secrets) })
}

/** Rewrites all secrets of the store from one wrapping to another, in the transaction of the connection. */
export const rewrap = (
  sql: Connection,
  from: SecretWrapper | undefined,
  to: SecretWrapper | undefined
): void => {
  const [before, after] = [new Secrets(from), new Secrets(to)]
  for (const { id, secret } of sql.all<{ id: number; secret: string }>(
    "SELECT id, suppression_secret AS secret FROM brand"
  )) {
    const plain = before.suppressionOf(id, secret)
    sql.run("UPDATE brand SET suppression_secret = ? WHERE id = ?", [after.suppression(id, plain), id])
  }
  for (const { brand_id, id, secrets } of sql.all<{ id: number; brand_id: number; secrets: string }>(
    "SELECT id, brand_id, secrets FROM webhook"
  )) {
    const plain = before.webhookSecretsOf(brand_id, id, secrets)
    sql.run("UPDATE webhook SET secrets = ? WHERE id = ?", [after.webhook(brand_id, id, plain), id])
  }
  sql.run("UPDATE secret_wrapping SET key_id = ? WHERE id = 1", [to?.keyId ?? null])
}

/** The id of the key that wraps the store's secrets; null where they are plain. */
export const wrappingKey = (sql: Pick<QueryConnection, "value">): string | null =>
  sql.value<string | null>("SELECT key_id FROM secret_wrapping WHERE id = 1") ?? null

/**
 * Whether the secrets are still to be wrapped under the key. Throws a `KeyProblem` where another key wrapped them, or one and no key is
 * set.
 */
export const mustWrap = (
  sql: Pick<QueryConnection, "value">,
  filename: string,
  secrets: SecretWrapper | undefined
): boolean => {
  const id = wrappingKey(sql)
  if (id === null) return secrets !== undefined
  if (id === secrets?.keyId) return false
  const wrapped = `${filename} keeps its secrets wrapped under the encryption key with the id ${id}`
  throw new KeyProblem(
    secrets === undefined
      ? `${wrapped}, and no encryption key is set`
      : `${wrapped}, and the encryption key that is set has the id ${secrets.keyId}`
  )
}
