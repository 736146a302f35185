/** Environment variables as every part of the program reads them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The variable's value; undefined when it is unset or empty, as compose files pass what is not given. */
export const valueOf = (environment: Environment, name: string): string | undefined => {
  const value = environment[name]
  return value === "" ? undefined : value
}
