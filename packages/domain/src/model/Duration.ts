/** Lengths of time in milliseconds. UTC has no leap seconds here, so a day is always as long. This module needs no Effect. */

/** A second. */
export const millisPerSecond = 1000
/** A minute. */
export const millisPerMinute = 60_000
/** An hour. */
export const millisPerHour = 3_600_000
/** A day of UTC. */
export const millisPerDay = 86_400_000
