/** What an assistant can read about the service: the specification and the OpenAPI document, each whole or in parts. [MCP-9] */
import { openApi } from "@lead-signals/http"
import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server"
import { operationDocument } from "./Operations.ts"

const specificationUri = "lead-signals://specification"
const documentUri = "lead-signals://openapi.json"
const operationUri = "lead-signals://operations"

interface Area {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** The areas of the specification, each with its clauses: what stands below a heading such as `## PAGE: pages`. */
const areasOf = (specification: string): ReadonlyArray<Area> =>
  specification.split(/^(?=## )/m).flatMap((text) => {
    const found = /^## ([A-Z]+): (.+)$/m.exec(text)
    return found === null ? [] : [{ id: found[1]!, title: found[2]!, text }]
  })

const sizeOf = (text: string): number => new TextEncoder().encode(text).byteLength

/** The text of a resource. */
interface ResourceText {
  readonly mimeType: string
  readonly text: string
}

/** What can be read, and how. */
export interface Resources {
  readonly list: () => ReadonlyArray<Resource>
  readonly templates: ReadonlyArray<ResourceTemplateType>
  /** The resource of this address; null where there is none. */
  readonly read: (uri: string) => ResourceText | null
}

const markdown = (text: string): ResourceText => ({ mimeType: "text/markdown", text })
const json = (value: unknown): ResourceText => ({ mimeType: "application/json", text: JSON.stringify(value) })

/** The resources, by the text of the specification. */
export const makeResources = (specification: string): Resources => {
  const areas = areasOf(specification)
  const list = (): ReadonlyArray<Resource> => [
    {
      uri: specificationUri,
      name: "specification",
      title: "Specification",
      description: "What the service does, in numbered clauses: all areas",
      mimeType: "text/markdown",
      size: sizeOf(specification)
    },
    {
      uri: documentUri,
      name: "openapi.json",
      title: "OpenAPI document",
      description:
        "Every operation of the HTTP API with its schemas; lead-signals://operations/{operationId} has one alone",
      mimeType: "application/json",
      size: sizeOf(JSON.stringify(openApi()))
    },
    ...areas.map(({ id, text, title }) => ({
      uri: `${specificationUri}/${id}`,
      name: `specification-${id}`,
      title: `Specification: ${title}`,
      description: `The clauses ${id} of the specification`,
      mimeType: "text/markdown",
      size: sizeOf(text)
    }))
  ]
  const templates = [
    {
      uriTemplate: `${operationUri}/{operationId}`,
      name: "operation",
      title: "One operation of the API",
      description: "Method, path, parameters, body and answers of one operation, such as listLeads",
      mimeType: "application/json"
    }
  ]
  const read = (uri: string): ResourceText | null => {
    if (uri === specificationUri) return markdown(specification)
    if (uri === documentUri) return json(openApi())
    const area = areas.find(({ id }) => uri === `${specificationUri}/${id}`)
    if (area !== undefined) return markdown(area.text)
    const operation = uri.startsWith(`${operationUri}/`)
      ? operationDocument(uri.slice(operationUri.length + 1))
      : null
    return operation === null ? null : json(operation)
  }
  return { list, templates, read }
}
