/** Sees every TCP connection that this process begins to open, at the lowest place that JavaScript has. */
import { afterAll, beforeAll } from "vitest"

interface Binding {
  readonly TCP: { readonly prototype: Record<string, (...args: Array<unknown>) => unknown> }
}

export const dialled = (): Array<string> => {
  const seen: Array<string> = []
  const { prototype } = (process as unknown as { binding: (name: string) => Binding }).binding("tcp_wrap").TCP
  const kept = { connect: prototype["connect"]!, connect6: prototype["connect6"]! }
  beforeAll(() => {
    for (const name of ["connect", "connect6"] as const) {
      prototype[name] = function (this: unknown, ...args: Array<unknown>) {
        seen.push(`${String(args[1])} ${String(args[2])}`)
        return kept[name].apply(this, args)
      }
    }
  })
  afterAll(() => {
    Object.assign(prototype, kept)
  })
  return seen
}
