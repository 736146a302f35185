/** Settings > API Keys: the keys of a brand, each shown once when it is created. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { answerOf, api, type ApiKey } from "../api/client.ts"
import { keysKey, keysQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { useHasScope } from "../session/permissions.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { notify } from "../ui/toasts.tsx"
import {
  CreatedCredential,
  CredentialLabel,
  CredentialState,
  Expiry,
  ExpiryField,
  LastUse,
  RevokeDialog
} from "./Credential.tsx"

const maxRequestsPerMinute = 1_000_000

interface CreateKeyProps {
  readonly brandId: string
  readonly onCreated: (key: string) => void
  readonly onClose: () => void
}

const CreateKey = ({ brandId, onClose, onCreated }: CreateKeyProps) => {
  const queryClient = useQueryClient()
  const [label, setLabel] = useState("")
  const [limit, setLimit] = useState("")
  const [reads, setReads] = useState<"" | ApiKey["scopes"][number]>("")
  const [lastDay, setLastDay] = useState("")
  const [allowed, setAllowed] = useState("")
  const addresses = allowed.split(/[\s,]+/).filter((address) => address !== "")
  const create = async () => {
    const { data } = await answerOf(
      api.POST("/operator/brands/{brandId}/keys", {
        params: { path: { brandId } },
        body: {
          label,
          ...(limit === "" ? {} : { requestsPerMinute: Number(limit) }),
          ...(reads === "" ? {} : { scopes: [reads] }),
          ...(lastDay === "" ? {} : { expiresAt: lastDay }),
          ...(addresses.length === 0 ? {} : { allowedAddresses: addresses })
        }
      })
    )
    await queryClient.invalidateQueries({ queryKey: keysKey(brandId) })
    onCreated(data.key)
  }
  return (
    <FormDialog title="Create New Key" does="Create key" onSubmit={create} onClose={onClose}>
      <TextField
        label="Label"
        hint="What the key is for, such as the system that will use it."
        required
        maxLength={256}
        autoFocus
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      <TextField
        label="Requests a minute"
        hint="Empty: the server's default."
        type="number"
        min={1}
        max={maxRequestsPerMinute}
        placeholder="Default"
        value={limit}
        onChange={(event) => setLimit(event.target.value)}
      />
      <SelectField
        label="Reads"
        value={reads}
        onChange={(event) => setReads(event.target.value as typeof reads)}
      >
        <option value="">Leads and metrics of campaigns</option>
        <option value="leads">Leads alone</option>
        <option value="metrics">Metrics of campaigns alone</option>
      </SelectField>
      <ExpiryField value={lastDay} onChange={setLastDay} />
      <TextField
        label="Allowed addresses"
        hint="Addresses and ranges from which the key works, with a comma between. Empty: all."
        placeholder="192.0.2.0/24, 2001:db8::1"
        value={allowed}
        onChange={(event) => setAllowed(event.target.value)}
      />
    </FormDialog>
  )
}

export const KeysPage = () => {
  const { brandId } = useParams({ from: "/brands/$brandId/settings/keys" })
  const { data: keys, error, refetch } = useQuery(keysQuery(brandId))
  const queryClient = useQueryClient()
  const [isCreating, setCreating] = useState(false)
  const mayChange = useHasScope("admin")
  const [created, setCreated] = useState<string | null>(null)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)

  const revoke = async ({ id, label }: ApiKey) => {
    await answerOf(
      api.DELETE("/operator/brands/{brandId}/keys/{keyId}", { params: { path: { brandId, keyId: id } } })
    )
    await queryClient.invalidateQueries({ queryKey: keysKey(brandId) })
    notify(`Revoked the key ${label}`)
  }

  const columns: ReadonlyArray<Column<ApiKey>> = [
    {
      title: "Label",
      cell: (key) => <CredentialLabel credential={key} text={key.label} hasStartColumn />
    },
    {
      title: "Key",
      className: "max-sm:hidden",
      cell: ({ start }) => <code className="font-mono text-xs">{start}…</code>
    },
    {
      title: "Limit",
      className: "max-sm:hidden",
      cell: ({ requestsPerMinute }) => (
        <span className="tabular-nums">{requestsPerMinute.toLocaleString("en")} / min</span>
      )
    },
    {
      title: "Reads",
      className: "max-lg:hidden",
      cell: ({ scopes }) => <span className="text-muted">{scopes.join(", ")}</span>
    },
    {
      title: "Expires",
      className: "max-lg:hidden",
      cell: ({ expiresAt }) => <Expiry at={expiresAt} />
    },
    { title: "Created", className: "max-md:hidden", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "Last used", cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
    {
      title: "State",
      className: "text-right",
      cell: (key) => (
        <CredentialState
          credential={key}
          name={`the key ${key.label}`}
          onRevoke={mayChange ? () => setRevoking(key) : null}
        />
      )
    }
  ]

  const create = mayChange ? (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      Create New Key
    </Button>
  ) : null
  const body = () => {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    if (keys === undefined) return <Loading />
    if (keys.length === 0)
      return (
        <div className="card">
          <Empty icon="key" title="No API keys yet" action={create}>
            A key lets a program, or a colleague in this console, read the leads of this brand.
          </Empty>
        </div>
      )
    return (
      <div className="card overflow-x-auto">
        <DataTable label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
      </div>
    )
  }

  return (
    <>
      <PageHeader
        title="API Keys"
        description="Keys read this brand's leads and metrics. To rotate one, create its successor before you revoke it."
        actions={
          <>
            <CurlButton
              calls={[
                { does: "The keys", path: `/operator/brands/${brandId}/keys` },
                {
                  does: "Create a key",
                  method: "POST",
                  path: `/operator/brands/${brandId}/keys`,
                  body: { label: "crm", requestsPerMinute: 600 }
                }
              ]}
            />
            {create}
          </>
        }
      />
      <div className="px-4 pb-6 md:px-6">{body()}</div>
      {isCreating ? (
        <CreateKey brandId={brandId} onCreated={setCreated} onClose={() => setCreating(false)} />
      ) : null}
      {created === null ? null : (
        <CreatedCredential what="key" value={created} onClose={() => setCreated(null)}>
          .
        </CreatedCredential>
      )}
      {revoking === null ? null : (
        <RevokeDialog
          what="key"
          name={revoking.label}
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  )
}
