/** Which routes the contract has: to tell an unknown path from a wrong method, and to name a route in the log. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Api } from "./contract/Api.ts"

interface Route {
  readonly pattern: string
  readonly segments: ReadonlyArray<string>
  readonly methods: Set<string>
}

const routes = new Map<string, Route>()

const add = (pattern: string, method: string): void => {
  const route = routes.get(pattern) ?? { pattern, segments: pattern.split("/"), methods: new Set<string>() }
  routes.set(pattern, route)
  route.methods.add(method)
  if (method === "GET") route.methods.add("HEAD")
}

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => add(endpoint.path, endpoint.method)
})
add("/openapi.json", "GET")
add("/docs", "GET")

const matches = ({ segments }: Route, path: ReadonlyArray<string>): boolean =>
  segments.length === path.length &&
  segments.every((segment, i) => (segment.startsWith(":") ? path[i] !== "" : segment === path[i]))

export type Match =
  | { readonly found: "route"; readonly pattern: string }
  | { readonly found: "path"; readonly pattern: string; readonly allow: string }
  | { readonly found: "nothing" }

/** `path`: the path is known, but not with this method; `allow` lists those that are. */
export const match = (method: string, path: string): Match => {
  const segments = path.split("/")
  for (const route of routes.values()) {
    if (!matches(route, segments)) continue
    return route.methods.has(method)
      ? { found: "route", pattern: route.pattern }
      : { found: "path", pattern: route.pattern, allow: [...route.methods].sort().join(", ") }
  }
  return { found: "nothing" }
}
