/** Exchanges the operator token, or a brand's API key, for a session. The page keeps neither. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { messageOf } from "../api/client.ts"
import { sessionKey } from "../api/queryClient.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Logo } from "../ui/Logo.tsx"
import { forgetAll, signIn, signInFailure } from "./session.ts"

/** `hasEnded`: a session was refused, and the page says so. What the session before had read is forgotten at the sign-in. */
export const SignInPage = ({ hasEnded }: { readonly hasEnded: boolean }) => {
  const queryClient = useQueryClient()
  const [secret, setSecret] = useState("")
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => {
      // What another session had read stays with it.
      forgetAll(queryClient)
      queryClient.setQueryData(sessionKey, session)
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate(secret.trim())
  }
  const problem = attempt.isError ? messageOf(attempt.error) : attempt.isIdle ? signInFailure.message : null
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 p-6">
      <div className="flex items-center gap-3">
        <Logo className="size-9" />
        <div>
          <h1 className="text-lg leading-6 font-semibold">Lead Signals</h1>
          <p className="text-muted text-sm">Sign in to the console</p>
        </div>
      </div>
      {hasEnded ? (
        <p role="status" className="bg-warn-soft text-warn rounded-md px-3 py-2 text-sm">
          Your session has ended. Sign in again, and you are back on this page.
        </p>
      ) : null}
      <form onSubmit={submit} className="card flex flex-col gap-4 p-5">
        <TextField
          label="Operator token or API key"
          hint="Whoever runs this server gives you one. A brand's key (lsk_…) opens the leads of that brand, a token what its scopes let pass."
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
        />
        {problem === null ? null : (
          <p role="alert" className="text-danger text-sm">
            {problem}
          </p>
        )}
        <Button type="submit" look="primary" disabled={attempt.isPending}>
          {attempt.isPending ? "Signing in …" : "Sign in"}
        </Button>
      </form>
      <p className="text-muted text-xs">
        You stay signed in for 12 hours, or until the server restarts. Neither is kept on this computer.
      </p>
      <p className="text-muted -mt-4 text-xs">
        Do you run the server? <code className="font-mono">npm start</code> prints a link that signs you in.
      </p>
    </main>
  )
}
