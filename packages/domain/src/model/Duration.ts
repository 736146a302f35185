/** Lengths of time in milliseconds. UTC has no leap seconds here, so a day is always as long. This module needs no Effect. */

/** The length of a second, 1,000. */
export const millisPerSecond = 1000
/** The length of a minute, 60,000. */
export const millisPerMinute = 60_000
/** The length of an hour, 3,600,000. */
export const millisPerHour = 3_600_000
/** The length of a day of UTC, 86,400,000. */
export const millisPerDay = 86_400_000
