/** The id of the encryption key that wraps the secrets of brands and webhooks: one row, without an id where they are plain. [PII-4] */
export const secretWrapping: ReadonlyArray<string> = [
  "CREATE TABLE secret_wrapping (id INTEGER PRIMARY KEY CHECK (id = 1), key_id TEXT) STRICT",
  "INSERT INTO secret_wrapping (id, key_id) VALUES (1, NULL)"
]
