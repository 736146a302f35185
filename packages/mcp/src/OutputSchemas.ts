/**
 * Output schemas as tools list them: a host puts the list into its model's context, so they say names, types, values and marks. What they
 * leave out stands in the resource of the operation. [MCP-7, MCP-13]
 */
import type { Json } from "./Operations.ts"

/** What the API's document says of answers besides: an assistant reads answers, and needs no check of them. */
const leftOut = new Set(["description", "required", "additionalProperties", "pattern", "format"])

const definitionPrefix = "#/$defs/"

const isSchemaTree = (value: unknown): value is Json => typeof value === "object" && value !== null

/** Whether personal data is marked anywhere in a schema, or in the definitions that it refers to. */
const marksPersonalData = (
  part: unknown,
  definitions: Json,
  seen: ReadonlySet<string> = new Set()
): boolean => {
  if (!isSchemaTree(part)) return false
  if (part["x-pii"] === true) return true
  const name = typeof part["$ref"] === "string" ? part["$ref"].slice(definitionPrefix.length) : null
  if (name !== null && !seen.has(name))
    return marksPersonalData(definitions[name], definitions, new Set([...seen, name]))
  return Object.values(part).some((value) => marksPersonalData(value, definitions, seen))
}

/**
 * The schema in short. `describedBy` names, for a definition, the tool whose own schema has it: here it is an object of that form, and marked when it
 * holds personal data. Each answer that the schema takes is taken by the short one, too.
 */
export const inShort = (schema: Json, describedBy: Readonly<Record<string, string>>): Json => {
  const definitions = (schema["$defs"] ?? {}) as Json
  const kept: Json = {}
  const shortProperties = (properties: Json): Json =>
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, short(value)]))
  const referenceTo = (name: string): Json => {
    const tool = describedBy[name]
    if (tool !== undefined) {
      return {
        type: "object",
        ...(marksPersonalData(definitions[name], definitions) ? { "x-pii": true } : {}),
        description: `As in ${tool}`
      }
    }
    if (kept[name] === undefined) {
      kept[name] = {}
      kept[name] = short(definitions[name])
    }
    return { $ref: `${definitionPrefix}${name}` }
  }
  const short = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(short)
    if (!isSchemaTree(part)) return part
    if (typeof part["$ref"] === "string") return referenceTo(part["$ref"].slice(definitionPrefix.length))
    return Object.fromEntries(
      Object.entries(part)
        .filter(([key]) => !leftOut.has(key))
        // A property can have the name of a keyword.
        .map(([key, value]) => [key, key === "properties" ? shortProperties(value as Json) : short(value)])
    )
  }
  const { $defs: _, ...root } = schema
  const shortened = short(root) as Json
  return Object.keys(kept).length === 0 ? shortened : { ...shortened, $defs: kept }
}
