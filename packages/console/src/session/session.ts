/** The browser's session, as the page knows it. */
import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
  useSuspenseQuery
} from "@tanstack/react-query"
import { answerOf, api, type Session } from "../api/client.ts"
import { sessionKey } from "../api/queryClient.ts"

/** `ended`: there was a session, and a call was refused since. */
export type SessionState = Session | { readonly ended: true } | null

/** Read once, when the page starts; sign-in, sign-out and a 401 write it afterwards. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async (): Promise<SessionState> => (await answerOf(api.GET("/session"))).data,
  staleTime: Infinity
})

/** The tabs of a browser share one session: what one of them begins or ends holds for all. */
const tabs = new BroadcastChannel("lead-signals session")

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is no window
const tellOtherTabs = (): void => tabs.postMessage(null)

/** `credential`: the operator token, an API key, or a one-time code. */
export const signIn = async (credential: string): Promise<Session> => {
  const { data } = await answerOf(api.POST("/session", { body: { credential } }))
  tellOtherTabs()
  return data
}

/** The session of a page that is shown to those who signed in. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data as Session

/** Forgets what a session has read. The session's own entry stays: the page listens to it. */
export const forgetAll = (queryClient: QueryClient): void =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })

/** A mutation that ends the session at the server, then on this page. Where the server can't be reached the session stays. */
export const useSignOut = () => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => answerOf(api.DELETE("/session")),
    onSuccess: () => {
      forgetAll(queryClient)
      queryClient.setQueryData(sessionKey, null)
      tellOtherTabs()
    }
  })
}

/** Why the code of a link did not sign in; null when there was none, or it did. */
export const signInFailure: { message: string | null } = { message: null }

const hasSession = (state: SessionState | undefined): boolean =>
  state !== undefined && state !== null && !("ended" in state)

/** Reads the session again whenever another tab has signed in or out, and forgets what the one before had read. */
export const followSession = (queryClient: QueryClient): void => {
  const follow = async (): Promise<void> => {
    const before = queryClient.getQueryData<SessionState>(sessionKey)
    const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    if (session === null) {
      // A page that had a session says why it asks to sign in. It would be refused whatever it read again.
      if (hasSession(before)) queryClient.setQueryData(sessionKey, { ended: true })
      forgetAll(queryClient)
      return
    }
    // What the session before had read is forgotten; what is on the page is read again.
    await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  }
  tabs.addEventListener("message", () => void follow().catch(() => {}))
}
