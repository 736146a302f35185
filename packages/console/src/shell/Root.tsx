/** Every page: for those who have signed in, but for the reference of the API. */
import { useSuspenseQuery } from "@tanstack/react-query"
import { Outlet, useMatchRoute } from "@tanstack/react-router"
import { Suspense } from "react"
import { sessionQuery } from "../session/session.ts"
import { SignInPage } from "../session/SignInPage.tsx"
import { SecretDialog } from "../ui/SecretDialog.tsx"
import { Loading } from "../ui/States.tsx"

const SignedIn = () => {
  const { data: session } = useSuspenseQuery(sessionQuery)
  if (session === null) return <SignInPage hasEnded={false} />
  return "ended" in session ? <SignInPage hasEnded /> : <Outlet />
}

/** Without a session, or after it has ended, the sign-in page stands at the URL that was opened, and the page follows. */
export const Root = () => {
  const isPublic = useMatchRoute()({ to: "/api" }) !== false
  return (
    <>
      <Suspense fallback={<Loading />}>{isPublic ? <Outlet /> : <SignedIn />}</Suspense>
      <SecretDialog />
    </>
  )
}
