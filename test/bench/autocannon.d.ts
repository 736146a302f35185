/** As much of autocannon as the benchmark calls; it brings no types. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events"
  export interface Request {
    readonly method?: string
    /** "/" where a request is set up. */
    readonly path?: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    /** Called before each is sent. */
    readonly setupRequest?: (request: Request) => Request
  }
  export interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration?: number
    readonly amount?: number
    /** Milliseconds; it ends at one of these ticks only. */
    readonly sampleInt: number
    /** Seconds. */
    readonly timeout: number
    readonly requests: ReadonlyArray<Request>
  }
  export interface Result {
    readonly errors: number
    readonly non2xx: number
  }
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void
  ): EventEmitter & { readonly stop: () => void }
}
