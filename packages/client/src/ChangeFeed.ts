/**
 * Keeps a copy of a brand's leads by the service's feed of changes: it misses nothing, tells what was removed, and its cursor is short.
 * [CHG-1]
 */
import { Effect, Option, Stream } from "effect"
import type { ChangeFeedPage, ChangeFeedQuery } from "./ApiTypes.ts"
import { type CallFailure, InvalidCursor, type RequestRefused } from "./Failures.ts"
import type { SyncedPage } from "./SyncedPage.ts"

type Read = (query: ChangeFeedQuery) => Effect.Effect<ChangeFeedPage, CallFailure>

/** Whether the service is of before the feed. */
export const hasNoFeed = (failure: CallFailure): failure is RequestRefused =>
  failure._tag === "RequestRefused" && failure.status === 404

const pageOf = ({ data, meta: { cursor } }: ChangeFeedPage): SyncedPage => ({
  leads: data.flatMap((change) => (change.type === "lead" ? [change.lead] : [])),
  removed: data.flatMap((change) =>
    change.type === "removed" ? [{ id: change.id, removedAt: change.removedAt }] : []
  ),
  cursor
})

/**
 * A cursor that the service can't read is the caller's mistake, as one that this client can't read. No other refusal says so of a cursor: a
 * 404 is as well that of a wrong base path, and the cursor is good.
 */
const orInvalidCursor = (failure: CallFailure, cursor: string | undefined): CallFailure | InvalidCursor =>
  cursor !== undefined &&
  failure._tag === "RequestRefused" &&
  failure.status === 400 &&
  failure.code === "invalid_parameter" &&
  failure.message.startsWith("cursor ")
    ? new InvalidCursor({ message: "cursor takes a cursor that this client returned, unchanged." })
    : failure

/** Emits the pages until nothing more follows, at least one: for its cursor. */
export const feed = (
  read: Read,
  query: ChangeFeedQuery
): Stream.Stream<SyncedPage, CallFailure | InvalidCursor> =>
  Stream.unfoldEffect(
    { cursor: query.cursor, isFirst: true, isOver: false },
    ({ cursor, isFirst, isOver }: { cursor: string | undefined; isFirst: boolean; isOver: boolean }) =>
      isOver
        ? Effect.succeedNone
        : read({ ...query, cursor }).pipe(
            Effect.mapError((failure) => orInvalidCursor(failure, query.cursor)),
            Effect.map((page) => {
              const isEmitted = page.data.length > 0 || (isFirst && !page.meta.hasMore)
              const next = {
                cursor: page.meta.cursor,
                isFirst: isFirst && !isEmitted,
                isOver: !page.meta.hasMore
              }
              return Option.some([isEmitted ? pageOf(page) : null, next] as const)
            })
          )
  ).pipe(Stream.filter((page) => page !== null))
