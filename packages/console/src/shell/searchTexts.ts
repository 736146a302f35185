/** Parameters of a page's URL, as the router hands them over: whatever somebody typed. */

/** Those of the names that have a text; the router leaves the others out of the next URL. Values are judged where they are used. */
export const searchTexts = <Name extends string>(
  names: ReadonlyArray<Name>,
  given: Readonly<Record<string, unknown>>
): { readonly [Each in Name]?: string } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
  ) as { readonly [Each in Name]?: string }
