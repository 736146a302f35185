/**
 * A file or a driver that can't be used, in words for the operator. A plain error, so that a thread that throws it loads no
 * Effect; `unavailable` makes a `StoreUnavailable` of it.
 */
export class DatabaseProblem extends Error {
  override readonly name = "DatabaseProblem"
}
