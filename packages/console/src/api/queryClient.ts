/** The cache of what the API answered. A call that is refused for want of a session ends the page's session. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { CallFailed, Unreachable } from "./client.ts"

export const sessionKey = ["session"] as const

const maxAttempts = 3

/** The rate window of a key can be used up, and the server can be starting or overloaded: these pass by waiting. */
const passesByWaiting = (failure: unknown): boolean =>
  failure instanceof CallFailed
    ? failure.status === 429 || failure.status === 503
    : failure instanceof Unreachable

/** The sign-in page says why it is there. */
export const endSession = (): void => {
  queryClient.setQueryData(sessionKey, (before: unknown) => (before ? { ended: true } : before))
}

const onError = (failure: unknown): void => {
  if (failure instanceof CallFailed && failure.status === 401) endSession()
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (attempts, failure) => attempts < maxAttempts && passesByWaiting(failure),
      retryDelay: (attempts, failure) =>
        (failure instanceof CallFailed ? failure.retryAfterMillis : null) ?? 500 * 2 ** attempts
    }
  }
})
