/** The reference of the API, made of the OpenAPI document that this server serves. It needs no session. */
import { useQuery } from "@tanstack/react-query"
import { Link, useLocation, useSearch } from "@tanstack/react-router"
import { useEffect, useMemo, useState } from "react"
import { useKeys } from "../shell/shortcuts.ts"
import { Icon } from "../ui/Icon.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import type { Operation, Reference } from "./openApi.ts"
import { referenceQuery } from "./openApi.ts"
import { Method, OperationPage, Words } from "./OperationPage.tsx"

const textOf = ({ description, id, method, parameters = [], path, summary }: Operation): string =>
  [method, path, id, summary, description, ...parameters.map(({ name }) => name)].join(" ").toLowerCase()

const found = (reference: Reference, wanted: string): Reference["groups"] => {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  return reference.groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter((operation) => {
        const text = textOf(operation)
        return words.every((word) => text.includes(word))
      })
    }))
    .filter(({ operations }) => operations.length > 0)
}

const Contents = ({
  groups,
  open,
  pathname
}: {
  readonly groups: Reference["groups"]
  readonly open: string | undefined
  readonly pathname: string
}) => (
  <nav aria-label="Operations" className="flex flex-col gap-4">
    {groups.map(({ name, operations }) => (
      <section key={name} aria-label={name}>
        <h2 className="text-muted px-2 pb-1 text-xs font-medium">{name}</h2>
        <ul>
          {operations.map(({ deprecated = false, id, isEvent, method, path, summary }) => (
            <li key={id}>
              <Link
                to={pathname}
                search={{ operation: id }}
                aria-current={id === open ? "page" : undefined}
                title={`${isEvent ? "" : `${method} `}${path}`}
                className="hover:bg-sunken aria-[current=page]:bg-accent-soft touch:py-3 flex items-baseline gap-2 rounded-md px-2 py-1 text-sm"
              >
                <span className="grow">
                  {summary}
                  {deprecated ? <span className="text-muted"> (deprecated)</span> : null}
                </span>
                {isEvent ? null : <Method method={method} />}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </nav>
)

const Overview = ({ reference }: { readonly reference: Reference }) => (
  <div className="flex max-w-3xl flex-col gap-4">
    <h1 className="text-lg font-semibold">
      {reference.title} API {reference.version}
    </h1>
    <p className="text-sm">
      <Words text={reference.about} />
    </p>
    <dl className="flex flex-col gap-2 text-sm">
      {reference.groups.map(({ about, name, operations }) => (
        <div key={name}>
          <dt className="font-medium">
            {name} ({operations.length})
          </dt>
          <dd className="text-muted">
            <Words text={about} />
          </dd>
        </div>
      ))}
    </dl>
    <p className="text-sm">
      Programs read the same as an OpenAPI document:{" "}
      <a href="/openapi.json" className="text-accent underline underline-offset-2">
        openapi.json
      </a>
    </p>
  </div>
)

/**
 * On a window below 1024 px the list of operations and the opened one take turns. An id that no operation has shows the overview. A document that
 * can't be read can be tried again.
 */
export const ReferencePage = () => {
  const { data: reference, error, refetch } = useQuery(referenceQuery)
  const { operation: open } = useSearch({ strict: false })
  const { pathname } = useLocation()
  const [wanted, setWanted] = useState("")
  const groups = useMemo(() => (reference === undefined ? [] : found(reference, wanted)), [reference, wanted])
  const operation = reference?.groups.flatMap(({ operations }) => operations).find(({ id }) => id === open)
  useEffect(() => {
    document.title = `${operation?.summary ?? "API"} · Lead Signals`
    document.querySelector("#operation-page")?.scrollTo(0, 0)
  }, [operation])
  if (error !== null)
    return (
      <div className="p-4 md:p-6">
        <Failure error={error} onRetry={() => void refetch()} />
      </div>
    )
  if (reference === undefined) return <Loading />
  return (
    <div className="flex min-h-0 grow flex-col lg:flex-row">
      <aside
        aria-label="Contents"
        className={`border-line bg-surface shrink-0 flex-col gap-3 p-3 lg:flex lg:w-80 lg:overflow-y-auto lg:border-r ${operation === undefined ? "flex" : "hidden"}`}
      >
        <div className="relative">
          <Icon
            name="search"
            className="text-muted pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4"
          />
          <input
            data-search
            type="search"
            aria-label="Search operations"
            placeholder="Search operations"
            className="field w-full pl-8"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </div>
        {groups.length === 0 ? (
          <Empty icon="search" title="No operation matches">
            Search for a path, a parameter or a word of a description.
          </Empty>
        ) : (
          <Contents groups={groups} open={operation?.id} pathname={pathname} />
        )}
      </aside>
      <div id="operation-page" className="min-w-0 grow p-4 md:p-6 lg:overflow-y-auto">
        {operation === undefined ? (
          <Overview reference={reference} />
        ) : (
          <>
            <p className="text-sm lg:hidden">
              <Link
                to={pathname}
                search={{}}
                className="text-accent mb-2 inline-flex h-11 items-center underline-offset-2 hover:underline"
              >
                All operations
              </Link>
            </p>
            <OperationPage key={operation.id} operation={operation} schemas={reference.schemas} />
          </>
        )}
      </div>
    </div>
  )
}

/** The reference for those who have not signed in. */
export const PublicReferencePage = () => {
  useKeys((key, event) => {
    if (key !== "/") return
    event.preventDefault()
    document.querySelector<HTMLInputElement>("[data-search]")?.select()
  })
  return (
    <main className="flex h-dvh flex-col overflow-y-auto lg:overflow-hidden">
      <ReferencePage />
    </main>
  )
}
