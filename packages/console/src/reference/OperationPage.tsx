/** One operation: what it does, takes and answers, its errors, and the command that makes the call. */
import type { ReactNode } from "react"
import type { Access } from "../api/queries.ts"
import { curlOf } from "../curl/curl.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { CopyButton } from "../ui/Copy.tsx"
import { type Field, fieldsOf, typeText } from "./fields.ts"
import type { ApiResponse, Operation, Parameter, Reference, Schema } from "./openApi.ts"

type Schemas = Reference["schemas"]

const tones: Readonly<Record<string, Tone>> = { GET: "good", DELETE: "bad" }

/** The HTTP method as a badge. */
export const Method = ({ method }: { readonly method: string }) => (
  <Badge tone={tones[method] ?? "warn"}>{method}</Badge>
)

/** Words between backticks are code. */
export const Words = ({ text }: { readonly text: string }) => (
  <>
    {text.split("`").map((part, i) =>
      i % 2 === 0 ? (
        part
      ) : (
        <code key={i} className="font-mono text-[0.92em]">
          {part}
        </code>
      )
    )}
  </>
)

/** Whose credential the call needs; null for none. A session can stand in for each. */
const accessOf = ({ security = [] }: Operation): Access | null => {
  const schemes = new Set(security.flatMap((each) => Object.keys(each)))
  return schemes.has("apiKey") ? "brand" : schemes.has("operatorToken") ? "operator" : null
}

const accessTexts: Readonly<Record<Access | "none", string>> = {
  brand: "Needs an API key of the brand, or a session.",
  operator: "Needs the operator token, or a session that it began.",
  none: "Needs no credential."
}

const blockClass = "bg-sunken max-h-96 overflow-auto rounded-md p-3 font-mono text-xs"

const Code = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className="flex flex-col gap-1.5">
    <div className="flex items-center gap-2">
      <h3 className="text-muted grow text-xs font-medium">{label}</h3>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
    <pre tabIndex={0} aria-label={label} className={blockClass}>
      {text}
    </pre>
  </div>
)

const exampleText = (example: unknown): string =>
  typeof example === "string" ? example.trimEnd() : JSON.stringify(example, null, 2)

const Section = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title} className="flex flex-col gap-3">
    <h2 className="text-sm font-semibold">{title}</h2>
    {children}
  </section>
)

interface Row {
  readonly name: string
  readonly depth: number
  readonly type: string
  readonly notes: ReadonlyArray<string>
  readonly description: string
}

const Rows = ({ label, rows }: { readonly label: string; readonly rows: ReadonlyArray<Row> }) => (
  <dl aria-label={label} className="border-line divide-line divide-y rounded-md border text-sm">
    {rows.map(({ depth, description, name, notes, type }) => (
      <div key={`${name} ${notes.join()}`} className="grid gap-x-4 px-3 py-1.5 md:grid-cols-[2fr_3fr]">
        <dt className="min-w-0 font-mono text-xs break-all" style={{ paddingLeft: `${depth * 0.75}rem` }}>
          {name}
        </dt>
        <dd className="min-w-0">
          <p className="text-muted text-xs wrap-anywhere">{[type, ...notes].join(" · ")}</p>
          <p>
            <Words text={description} />
          </p>
        </dd>
      </div>
    ))}
  </dl>
)

const parameterRow =
  (schemas: Schemas) =>
  (parameter: Parameter): Row => ({
    name: parameter.name,
    depth: 0,
    type: typeText(parameter.schema, schemas),
    notes: [
      `in the ${parameter.in === "query" ? "query" : parameter.in}`,
      ...(parameter.required === true ? ["required"] : []),
      ...(parameter.schema.default === undefined
        ? []
        : [`${JSON.stringify(parameter.schema.default)} when left out`]),
      ...(parameter.example === undefined ? [] : [`such as ${String(parameter.example)}`])
    ],
    description: parameter.description ?? parameter.schema.description ?? ""
  })

const fieldRow =
  (isBody: boolean) =>
  ({ depth, description, example, isPersonal, isRequired, path, type }: Field): Row => ({
    name: path,
    depth,
    type,
    notes: [
      ...(isBody && isRequired ? ["required"] : []),
      ...(isPersonal ? ["personal data"] : []),
      ...(example === undefined || typeof example === "object" ? [] : [`such as ${JSON.stringify(example)}`])
    ],
    description
  })

const Fields = ({
  isBody,
  label,
  schema,
  schemas
}: {
  readonly label: string
  readonly schema: Schema
  readonly schemas: Schemas
  readonly isBody: boolean
}) => {
  const fields = fieldsOf(schema, schemas)
  if (fields.length === 0) return <p className="text-muted text-sm">{typeText(schema, schemas)}</p>
  const rows = <Rows label={label} rows={fields.map(fieldRow(isBody))} />
  return fields.length <= 12 ? (
    rows
  ) : (
    <details className="flex flex-col gap-2">
      <summary className="text-accent touch:py-3 mb-2 cursor-pointer text-sm">{fields.length} fields</summary>
      {rows}
    </details>
  )
}

const Success = ({
  response,
  schemas,
  status
}: {
  readonly status: string
  readonly response: ApiResponse
  readonly schemas: Schemas
}) => (
  <Section title={`Answer ${status}`}>
    <p className="text-sm">
      <Words text={response.description} />
    </p>
    {Object.entries(response.content ?? {}).map(([type, { example, schema }]) => (
      <div key={type} className="flex flex-col gap-3">
        <Fields label={`Fields of the answer ${status}`} schema={schema} schemas={schemas} isBody={false} />
        {example === undefined ? null : (
          <Code label={`Example of the answer ${status}, ${type}`} text={exampleText(example)} />
        )}
      </div>
    ))}
    {response.headers === undefined ? null : (
      <details>
        <summary className="text-accent touch:py-3 mb-2 cursor-pointer text-sm">
          {Object.keys(response.headers).length} headers
        </summary>
        <Rows
          label={`Headers of the answer ${status}`}
          rows={Object.entries(response.headers).map(([name, header]) => ({
            name,
            depth: 0,
            type: typeText(header.schema, schemas),
            notes: header.example === undefined ? [] : [`such as ${String(header.example)}`],
            description: header.description ?? ""
          }))}
        />
      </details>
    )}
  </Section>
)

const errorOf = ({ content }: ApiResponse): { readonly code: string; readonly message: string } | null => {
  const example = content?.["application/json"]?.example as
    | { readonly error?: { readonly code: string; readonly message: string } }
    | undefined
  return example?.error ?? null
}

const Errors = ({ responses }: { readonly responses: ReadonlyArray<readonly [string, ApiResponse]> }) => (
  <Section title="Errors">
    <div
      className="border-line overflow-x-auto rounded-md border"
      role="region"
      aria-label="Table of errors"
      tabIndex={0}
    >
      <table className="w-full text-sm">
        <thead>
          <tr className="text-muted text-left text-xs">
            {["Status", "Code", "When", "Message, such as"].map((title) => (
              <th key={title} scope="col" className="px-3 py-1.5 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {responses.map(([status, response]) => {
            const error = errorOf(response)
            return (
              <tr key={status} className="border-line border-t align-top">
                <td className="px-3 py-1.5 tabular-nums">{status}</td>
                <td className="px-3 py-1.5 font-mono text-xs">{error?.code}</td>
                <td className="min-w-40 px-3 py-1.5">
                  <Words text={response.description} />
                </td>
                <td className="text-muted min-w-40 px-3 py-1.5">{error?.message}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  </Section>
)

/** The call with the examples of the document in it. */
const commandOf = (operation: Operation): string => {
  const { method, parameters = [], path, requestBody } = operation
  const exampleOf = ({ example, schema }: Parameter): string =>
    String(example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? 1)
  const filled = parameters
    .filter((each) => each.in === "path")
    .reduce((text, each) => text.replace(`{${each.name}}`, encodeURIComponent(exampleOf(each))), path)
  return curlOf(location.origin, accessOf(operation), {
    does: "",
    path: filled,
    ...(method === "GET" ? {} : { method: method as "POST" }),
    ...(requestBody === undefined ? {} : { body: requestBody.content["application/json"]?.example })
  })
}

/** The description of one operation or event. Tables scroll sideways on a phone. */
export const OperationPage = ({
  operation,
  schemas
}: {
  readonly operation: Operation
  readonly schemas: Schemas
}) => {
  const { description, isEvent, method, parameters = [], path, requestBody, responses, summary } = operation
  const scope = operation["x-required-scope"]
  const all = Object.entries(responses)
  const bodies = Object.entries(requestBody?.content ?? {})
  return (
    <article aria-labelledby="operation" className="flex min-w-0 flex-col gap-6">
      <header className="flex flex-col gap-2">
        <h1 id="operation" className="text-lg font-semibold">
          {summary}
        </h1>
        <p className="flex flex-wrap items-center gap-2">
          {isEvent ? <Badge>event</Badge> : <Method method={method} />}
          <code className="font-mono text-sm break-all">{path}</code>
          {operation.deprecated === true ? <Badge>deprecated</Badge> : null}
        </p>
        <p className="max-w-3xl text-sm">
          <Words text={description} />
        </p>
        {isEvent ? null : (
          <p className="text-muted text-sm">
            {accessTexts[accessOf(operation) ?? "none"]}
            {scope === undefined ? null : ` A token made for an operator needs the scope ${scope}.`}
          </p>
        )}
      </header>
      {parameters.length === 0 ? null : (
        <Section title={isEvent ? "Headers" : "Parameters"}>
          <Rows label="Parameters" rows={parameters.map(parameterRow(schemas))} />
        </Section>
      )}
      {requestBody === undefined ? null : (
        <Section title="Body">
          <p className="text-sm">
            <Words text={requestBody.description ?? ""} />
          </p>
          {bodies.map(([type, { example, schema }]) => (
            <div key={type} className="flex flex-col gap-3">
              {type === "application/json" ? (
                <Fields label="Fields of the body" schema={schema} schemas={schemas} isBody={!isEvent} />
              ) : null}
              {example === undefined ? null : (
                <Code label={`Example of the body, ${type}`} text={exampleText(example)} />
              )}
            </div>
          ))}
        </Section>
      )}
      {isEvent ? null : <Code label="As curl" text={commandOf(operation)} />}
      {all
        .filter(([status]) => Number(status) < 400)
        .map(([status, response]) => (
          <Success key={status} status={status} response={response} schemas={schemas} />
        ))}
      {all.some(([status]) => Number(status) >= 400) ? (
        <Errors responses={all.filter(([status]) => Number(status) >= 400)} />
      ) : null}
    </article>
  )
}
