/** Days as the reader of a page means them: in the time zone of the browser. */

/** An instant for the API: a day becomes its first or its last millisecond in the reader's time zone. Anything else is passed on as it is. */
export const instantOf = (value: string, isEnd: boolean): string => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return value
  const instant = new Date(`${value}T${isEnd ? "23:59:59.999" : "00:00:00.000"}`)
  return Number.isNaN(instant.getTime()) ? value : instant.toISOString()
}
