/** Where two texts part, with a little before and after. */
export const difference = (actual: string, expected: string): string => {
  let at = 0
  while (at < actual.length && actual[at] === expected[at]) at++
  const from = Math.max(0, at - 60)
  return `…${actual.slice(from, at + 60)}… instead of …${expected.slice(from, at + 60)}…`
}
