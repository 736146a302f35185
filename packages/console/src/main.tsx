/** Starts the console: signs in by the code of a link, if there is one, and shows the page of the URL. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { messageOf } from "./api/client.ts"
import { queryClient, sessionKey } from "./api/queryClient.ts"
import { router } from "./router.tsx"
import { mayDoAll } from "./session/permissions.ts"
import { followSession, sessionQuery, signIn, signInFailure } from "./session/session.ts"
import { applyTheme } from "./shell/theme.ts"
import { Notes } from "./ui/toasts.tsx"

/** The code stands in the fragment, which the browser sends to nobody, and leaves the address bar at once. */
const redeemCode = async (): Promise<void> => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code")
  if (code === null) return
  history.replaceState(null, "", location.pathname + location.search)
  const session = await queryClient.fetchQuery(sessionQuery)
  // One that is there may open less: that of a key, or of a limited token.
  if (session !== null && !("ended" in session) && mayDoAll(session)) return
  queryClient.setQueryData(sessionKey, await signIn(code))
}

applyTheme()
followSession(queryClient)
// The pages wait for it: it is asked for before they are there.
void queryClient.prefetchQuery(sessionQuery)
await redeemCode().catch((failure: unknown) => {
  signInFailure.message = messageOf(failure)
})

createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Notes />
    </QueryClientProvider>
  </StrictMode>
)
