/** Instants are milliseconds since 1970-01-01T00:00:00Z, as `Clock` gives them; on the wire ISO 8601, UTC, with `Z`. */
export type Instant = number

/** `2026-01-05T10:00:00.000Z`. The instant must lie in the years 0000 to 9999. [LIST-8] */
export const formatInstant = (instant: Instant): string => new Date(instant).toISOString()

export const formatInstantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)

/** Whether the instant has a form with a four-digit year: an offset can push a time beyond either end. */
export const isShowable = (instant: Instant): boolean =>
  instant >= -62_167_219_200_000 && instant <= 253_402_300_799_999
