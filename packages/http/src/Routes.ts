/** The routes of the API: they distinguish an unknown path from a wrong method, and name a route in the log. */
import * as HttpApi from "@effect/platform/HttpApi"
import { documentPaths } from "./Documents.ts"
import { Api } from "./endpoints/Api.ts"

interface Route {
  readonly pattern: string
  readonly segments: ReadonlyArray<string>
  /** The name of the parameter that each segment is; null for one that stands for itself. */
  readonly names: ReadonlyArray<string | null>
  readonly methods: Set<string>
}

const routes = new Map<string, Route>()

const add = (pattern: string, method: string): void => {
  const segments = pattern.split("/")
  const names = segments.map((segment) => (segment.startsWith(":") ? segment.slice(1) : null))
  const route = routes.get(pattern) ?? { pattern, segments, names, methods: new Set<string>() }
  routes.set(pattern, route)
  route.methods.add(method)
  if (method === "GET") route.methods.add("HEAD")
}

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => add(endpoint.path, endpoint.method)
})
for (const path of documentPaths) add(path, "GET")

const noParams: Readonly<Record<string, string>> = {}

/** The path's parameters; null when it is another route's. */
const paramsOf = (
  { names, segments }: Route,
  path: ReadonlyArray<string>
): Readonly<Record<string, string>> | null => {
  if (segments.length !== path.length) return null
  let params: Record<string, string> | null = null
  for (let i = 0; i < segments.length; i++) {
    const name = names[i]!
    if (name === null) {
      if (segments[i] !== path[i]) return null
    } else {
      if (path[i] === "") return null
      params ??= {}
      params[name] = decodeURIComponent(path[i]!)
    }
  }
  return params ?? noParams
}

/** What a path and a method lead to. */
export type Match =
  | {
      readonly found: "route"
      readonly pattern: string
      readonly params: Readonly<Record<string, string>>
    }
  | { readonly found: "path"; readonly pattern: string; readonly allow: string }
  | { readonly found: "nothing" }

/** Those with as many segments, of which alone one can match. */
const byLength = new Map<number, Array<Route>>()
for (const route of routes.values()) {
  const same = byLength.get(route.segments.length)
  if (same === undefined) byLength.set(route.segments.length, [route])
  else same.push(route)
}

/** `path`, which must decode: it is known, but not with this method; `allow` lists those that are. */
export const match = (method: string, path: string): Match => {
  const segments = path.split("/")
  for (const route of byLength.get(segments.length) ?? []) {
    const params = paramsOf(route, segments)
    if (params === null) continue
    return route.methods.has(method)
      ? { found: "route", pattern: route.pattern, params }
      : { found: "path", pattern: route.pattern, allow: [...route.methods].sort().join(", ") }
  }
  return { found: "nothing" }
}
