/** What the pages of keys and of operators' tokens have in common: the table, creating with the value shown once, and revoking. */
import { type QueryKey, type UseQueryResult, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { CurlButton } from "../curl/CurlButton.tsx"
import type { ApiCall } from "../curl/curl.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import type { IconName } from "../ui/Icon.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { notify } from "../ui/toasts.tsx"
import { type Credential, CredentialState, openCredential, RevokeDialog } from "./Credential.tsx"

/** Properties of the dialog that creates a key or token. */
export interface CreateCredentialProps {
  /** Gets the value, which the server never returns again. */
  readonly onCreated: (value: string) => void
  readonly onClose: () => void
}

interface CredentialsPageProps<Row extends Credential> {
  readonly what: "key" | "token"
  readonly title: string
  readonly description: string
  readonly calls: ReadonlyArray<ApiCall>
  /** Whether the session may create and revoke; without it the page only lists. */
  readonly mayChange: boolean
  readonly query: UseQueryResult<ReadonlyArray<Row>>
  /** What is read again after a change. */
  readonly queryKey: QueryKey
  readonly label: string
  /** Those before the column of the state. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly nameOf: (row: Row) => string
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: string }
  /** What opens the dialog of creation. */
  readonly createText: string
  readonly createDialog: (props: CreateCredentialProps) => ReactNode
  /** The end of the sentence that says how programs send the value. */
  readonly sentenceEnd: string
  readonly revoke: (row: Row) => Promise<unknown>
}

/** The list with the buttons to create and to revoke. Without an entry it says what one is for; a failed read can be tried again. */
export const CredentialsPage = <Row extends Credential>({
  calls,
  columns,
  createDialog,
  createText,
  description,
  empty,
  label,
  mayChange,
  nameOf,
  query: { data, error, refetch },
  queryKey,
  revoke,
  sentenceEnd,
  title,
  what
}: CredentialsPageProps<Row>) => {
  const queryClient = useQueryClient()
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Row | null>(null)
  const refresh = () => queryClient.invalidateQueries({ queryKey })

  const confirmRevocation = async (row: Row) => {
    await revoke(row)
    await refresh()
    notify(`Revoked the ${what} ${nameOf(row)}`)
  }
  const state: Column<Row> = {
    title: "State",
    className: "text-right",
    cell: (row) => (
      <CredentialState
        credential={row}
        name={`the ${what} ${nameOf(row)}`}
        onRevoke={mayChange ? () => setRevoking(row) : null}
      />
    )
  }
  const create = mayChange ? (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      {createText}
    </Button>
  ) : null
  const body = () => {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    if (data === undefined) return <Loading />
    if (data.length === 0)
      return (
        <div className="card">
          <Empty icon={empty.icon} title={empty.title} action={create}>
            {empty.text}
          </Empty>
        </div>
      )
    return (
      <div className="card overflow-x-auto">
        <DataTable label={label} columns={[...columns, state]} rows={data} keyOf={({ id }) => id} />
      </div>
    )
  }

  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <>
            <CurlButton calls={calls} />
            {create}
          </>
        }
      />
      <div className="px-4 pb-6 md:px-6">{body()}</div>
      {isCreating
        ? createDialog({
            onCreated: (value) => {
              openCredential({ what, value, sentenceEnd })
              void refresh()
            },
            onClose: () => setCreating(false)
          })
        : null}
      {revoking === null ? null : (
        <RevokeDialog
          what={what}
          name={nameOf(revoking)}
          onConfirm={() => confirmRevocation(revoking)}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  )
}
