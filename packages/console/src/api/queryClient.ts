/** The cache of what the API answered. A call that is refused for want of a session ends the page's session. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { CallFailed, isTransient } from "./client.ts"

/** The entry of the session: a `SessionState`. It outlives a sign-out; all others are removed then. */
export const sessionKey = ["session"] as const

const maxAttempts = 3

/** The sign-in page says why it is there. */
export const endSession = (): void => {
  queryClient.setQueryData(sessionKey, (before: unknown) => (before ? { ended: true } : before))
}

const onError = (failure: unknown): void => {
  if (failure instanceof CallFailed && failure.status === 401) endSession()
}

/**
 * One for the page. A read whose failure is transient is repeated up to three times, after what the server asks or 0.5 s, 1 s and 2 s; writes are
 * not. A 401 ends the session.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (attempts, failure) => attempts < maxAttempts && isTransient(failure),
      retryDelay: (attempts, failure) =>
        (failure instanceof CallFailed ? failure.retryAfterMillis : null) ?? 500 * 2 ** attempts
    }
  }
})
