/** What a session may do: the server decides each call, and the page offers what it would let pass. [OPER-10, OPER-12] */
import type { Session } from "../api/client.ts"
import { useSession } from "./session.ts"

/** A scope of an operator's token. */
export type Scope = NonNullable<Session["scopes"]>[number]

/** What an operator can let a token do, in words. */
export const scopeTexts: Readonly<Record<Scope, string>> = {
  read: "list and read everything of a brand but webhooks",
  ingest: "send observations, set flags and scores",
  webhooks: "read and change webhooks, send again",
  metrics: "read /metrics, and nothing of a brand",
  admin: "create, delete and erase; as good as all of them"
}

/** In the order in which forms and the menu list them. */
export const allScopes = Object.keys(scopeTexts) as ReadonlyArray<Scope>

/** Whether the session's token has the scope. A session of an API key has none. */
export const hasScope = ({ scopes }: Session, scope: Scope): boolean => scopes?.includes(scope) ?? false

/** Whether the session may make calls that belong to no brand: create brands, and handle tokens. */
export const isUnlimited = ({ access, brandIds }: Session): boolean =>
  access === "operator" && brandIds === null

/** Whether the session may do everything, as that of the environment's token. */
export const mayDoAll = (session: Session): boolean =>
  isUnlimited(session) && allScopes.every((scope) => hasScope(session, scope))

/** Whether the session of this page has it; false for that of an API key. */
export const useHasScope = (scope: Scope): boolean => hasScope(useSession(), scope)
