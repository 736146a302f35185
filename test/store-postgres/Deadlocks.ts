/** What the server ended because transactions waited for each other: the store tries one again, so that nothing else shows it. */
import pg from "pg"

const deadlock = "40P01"

/** Statements that met a deadlock, of all clients of this process, until `restore`. */
export const watchDeadlocks = (): { readonly met: ReadonlyArray<string>; readonly restore: () => void } => {
  const met: Array<string> = []
  const prototype = pg.Client.prototype as unknown as {
    query: (...given: Array<unknown>) => unknown
  }
  const { query } = prototype
  prototype.query = function (this: pg.Client, ...given) {
    const made = query.apply(this, given)
    if (made instanceof Promise) {
      const [statement] = given as ReadonlyArray<string | { readonly text: string }>
      made.catch(({ code }: { readonly code?: string }) => {
        if (code === deadlock) met.push(typeof statement === "string" ? statement : (statement?.text ?? ""))
      })
    }
    return made
  }
  return {
    met,
    restore: () => {
      prototype.query = query
    }
  }
}
