/** The OpenAPI document that the server serves, as the pages of the reference read it. */
import { queryOptions } from "@tanstack/react-query"
import { CallFailed, Unreachable } from "../api/client.ts"

/** A schema, as far as the document uses JSON Schema. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly format?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly "x-pii"?: boolean
}

/** A parameter of an operation, as OpenAPI has it. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

interface Media {
  readonly schema: Schema
  readonly example?: unknown
}

/** One answer of an operation, as OpenAPI has it. */
export interface ApiResponse {
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
  readonly headers?: Readonly<
    Record<string, { readonly description?: string; readonly schema: Schema; readonly example?: unknown }>
  >
}

interface RawOperation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  /** The scope that an operator's token needs. */
  readonly "x-required-scope"?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: {
    readonly description?: string
    readonly required?: boolean
    readonly content: Readonly<Record<string, Media>>
  }
  readonly responses: Readonly<Record<string, ApiResponse>>
}

interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** One call of the API, or one event that receivers get. */
export interface Operation extends RawOperation {
  /** Without the group: it stands in the URL of its page. */
  readonly id: string
  readonly method: string
  /** The path of the call; the type of the event, where a receiver is called. */
  readonly path: string
  readonly group: string
  readonly isEvent: boolean
}

/** The document sorted by the tags of its operations, in the order of the document; events come last. */
export interface Reference {
  readonly title: string
  readonly version: string
  readonly about: string
  readonly groups: ReadonlyArray<{
    readonly name: string
    readonly about: string
    readonly operations: ReadonlyArray<Operation>
  }>
  readonly schemas: Readonly<Record<string, Schema>>
}

const eventGroup = "Events to webhooks"

const operationsIn = (
  paths: OpenApiDocument["paths"],
  groupOf: (operation: RawOperation) => string,
  isEvent: boolean
): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      id: operation.operationId.split(".").at(-1)!,
      method: method.toUpperCase(),
      path,
      group: groupOf(operation),
      isEvent
    }))
  )

const referenceOf = ({ components, info, paths, tags, webhooks }: OpenApiDocument): Reference => {
  const all = [
    ...operationsIn(paths, (operation) => operation.tags[0] ?? "Other", false),
    ...operationsIn(webhooks, () => eventGroup, true)
  ]
  const abouts = new Map(tags.map(({ description, name }) => [name, description]))
  abouts.set(eventGroup, "What the service posts to the URL of a webhook")
  return {
    title: info.title,
    version: info.version,
    about: info.description,
    groups: [...Map.groupBy(all, ({ group }) => group)].map(([name, operations]) => ({
      name,
      about: abouts.get(name) ?? "",
      operations
    })),
    schemas: components.schemas
  }
}

/** Read once for the life of the page. Rejects with `Unreachable`, or with `CallFailed` for a status that is no 2xx. */
export const referenceQuery = queryOptions({
  queryKey: ["openapi"],
  queryFn: async ({ signal }): Promise<Reference> => {
    // The document itself is no operation of the contract.
    const response = await fetch("/openapi.json", { signal }).catch((cause: unknown) => {
      throw new Unreachable("Nothing answered.", { cause })
    })
    if (!response.ok)
      throw new CallFailed(response.status, "unknown", "The document could not be read.", null, null)
    return referenceOf((await response.json()) as OpenApiDocument)
  },
  staleTime: Infinity
})
