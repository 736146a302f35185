import type { FileKey } from "../connection/FileKey.ts"

/** What a worker thread gets when it starts. */
export interface ThreadOptions {
  readonly filename: string
  readonly readonly: boolean
  /** Encrypts the file; undefined where it is plain. */
  readonly key: FileKey | undefined
  /** Milliseconds that a statement waits for a lock. */
  readonly busyMillis: number
  readonly pragmas: ReadonlyArray<string>
  /** One Int32, which the serving thread sets to 1 when it has handled a progress report. */
  readonly acknowledged: SharedArrayBuffer
}
