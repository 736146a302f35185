/** Operators' tokens and the audit log. */
import { type AccessToken, AccessTokenStore, type AuditCursor, AuditLog } from "@lead-signals/domain"
import { Context, Effect, Option } from "effect"
import type { Tables } from "./Tables.ts"

const newestFirst = (a: AuditCursor, b: AuditCursor): number => b.at - a.at || Number(b.id) - Number(a.id)

export const operators = (tables: Tables) => {
  const { accessTokens, auditEntries } = tables
  const withoutHash = (stored: AccessToken & { readonly hash: string }): AccessToken => {
    const { hash, ...token } = stored
    void hash
    return token
  }

  const accessTokenStore = AccessTokenStore.of({
    create: (token) =>
      tables.write(() => {
        const id = String(tables.next("access token"))
        return withoutHash(accessTokens.put(id, { ...token, id, lastUsedAt: null, revokedAt: null }))
      }),
    list: Effect.sync(() =>
      accessTokens
        .all()
        .map(withoutHash)
        .sort((a, b) => Number(a.id) - Number(b.id))
    ),
    findByHash: (hash) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(accessTokens.all().find((token) => token.hash === hash)), withoutHash)
      ),
    revoke: (id, now) =>
      tables.write(() => {
        const token = accessTokens.get(id)
        if (token === undefined) return false
        accessTokens.put(id, { ...token, revokedAt: token.revokedAt ?? now })
        return true
      }),
    markUsed: (id, minute) =>
      tables.write(() => {
        const token = accessTokens.get(id)
        if (token !== undefined)
          accessTokens.put(id, { ...token, lastUsedAt: Math.max(token.lastUsedAt ?? minute, minute) })
      })
  })

  const auditLog = AuditLog.of({
    append: (entry) =>
      tables.write(() => {
        const id = String(tables.next("audit entry"))
        return auditEntries.put(id, { ...entry, id }).id
      }),
    complete: (id, outcome) =>
      tables.write(() => {
        const entry = auditEntries.get(id)
        if (entry?.status === null) auditEntries.put(id, { ...entry, ...outcome })
      }),
    list: ({ after, brandIds, limit, since }) =>
      Effect.sync(() =>
        auditEntries
          .all()
          .filter(
            (entry) =>
              (brandIds === null || (entry.brandId !== null && brandIds.includes(entry.brandId))) &&
              (since === null || entry.at >= since) &&
              (after === null || newestFirst(after, entry) < 0)
          )
          .sort(newestFirst)
          .slice(0, limit)
      ),
    prune: ({ before, limit }) =>
      tables.write(() => {
        const due = auditEntries
          .all()
          .filter(({ at }) => at < before)
          .sort((a, b) => newestFirst(b, a))
          .slice(0, limit)
        for (const { id } of due) auditEntries.remove(id)
        return due.length
      })
  })

  return Context.make(AccessTokenStore, accessTokenStore).pipe(Context.add(AuditLog, auditLog))
}
