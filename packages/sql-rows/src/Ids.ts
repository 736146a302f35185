/** Ids and booleans in columns. */

/** The number of an id: decimal digits of a safe integer. Any other text is no id of anything and gives 0, which no row has. */
export const idOf = (text: string): number =>
  /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0
