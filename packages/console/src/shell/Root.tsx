/** Every page: for those who have signed in. */
import { useSuspenseQuery } from "@tanstack/react-query"
import { Outlet } from "@tanstack/react-router"
import { Suspense } from "react"
import { sessionQuery } from "../session/session.ts"
import { SignInPage } from "../session/SignInPage.tsx"
import { Loading } from "../ui/States.tsx"

const SignedIn = () => {
  const { data: session } = useSuspenseQuery(sessionQuery)
  if (session === null) return <SignInPage hasEnded={false} />
  return "ended" in session ? <SignInPage hasEnded /> : <Outlet />
}

export const Root = () => (
  <Suspense fallback={<Loading />}>
    <SignedIn />
  </Suspense>
)
