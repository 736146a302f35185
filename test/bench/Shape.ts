/** A kind of request, and the requests of that kind in the order in which every server gets them. */
import type { Paths } from "./Load.ts"

/** A kind of request with its targets. */
export interface Shape {
  readonly name: string
  /** Paths requested in turn, again and again; or the path of request n, from 0, of which each is drawn anew. */
  readonly paths: ReadonlyArray<string> | ((n: number) => string)
  /** At least so many times the plain server's rate, at 10,000 leads and at 1,000,000. */
  readonly atSmall: number
  readonly atLarge?: number
}

/** Every order that lists take. */
export const sorts: ReadonlyArray<string> = ["createdAt", "updatedAt", "score1", "name"].flatMap((field) => [
  `${field}:desc`,
  `${field}:asc`
])

/** The path of request `n`, from 0. */
export const pathOf = ({ paths }: Shape, n: number): string =>
  typeof paths === "function" ? paths(n) : paths[n % paths.length]!

/** The shape's paths from request `first` on; paths that are drawn go on from measurement to measurement. */
export const pathsOf = ({ paths }: Shape, first = 0): Paths => {
  if (typeof paths !== "function") return paths
  let next = first
  return () => paths(next++)
}
