/** A word of a command that a reader copies into a shell: quoted where the shell would read it otherwise. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
