/** Timestamps as the interface takes them, read apart from the code of the service. [TIME-1, TIME-2, TIME-6] */

const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?$/

/** Milliseconds since 1970 of a timestamp that the interface takes; NaN for any other text. */
export const instantOf = (text: string): number => {
  const found = form.exec(text)
  if (found === null) return Number.NaN
  const [year, month, date, hours = "0", minutes = "0", seconds = "0", millis = "0"] = found.slice(1, 8)
  const [sign, eastHours = "0", eastMinutes = "0"] = found.slice(8)
  const east = (Number(eastHours) * 60 + Number(eastMinutes)) * (sign === "-" ? -1 : 1)
  const at = new Date(0)
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(date))
  at.setUTCHours(Number(hours), Number(minutes) - east, Number(seconds), Number(millis))
  return at.getTime()
}
