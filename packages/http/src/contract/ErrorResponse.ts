/** What a client learns of a failure. */
export interface ErrorResponse {
  readonly status: number
  /** For programs. */
  readonly code: string
  /** One sentence for people. */
  readonly message: string
}
