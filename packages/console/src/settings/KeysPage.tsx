/** Settings > API Keys: the keys of a brand, each shown once when it is created. */
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { answerOf, api, type ApiKey } from "../api/client.ts"
import { keysKey, keysQuery } from "../api/queries.ts"
import { useHasScope } from "../session/permissions.ts"
import type { Column } from "../ui/DataTable.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Time } from "../ui/Time.tsx"
import { CredentialLabel, Expiry, ExpiryField, LastUse } from "./Credential.tsx"
import { type CreateCredentialProps, CredentialsPage } from "./CredentialsPage.tsx"

const maxRequestsPerMinute = 1_000_000

const CreateKey = ({ brandId, onClose, onCreated }: CreateCredentialProps & { readonly brandId: string }) => {
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

/** For the scope `read`; creating and revoking need `admin`. */
export const KeysPage = () => {
  const { brandId } = useParams({ from: "/brands/$brandId/settings/keys" })
  const path = `/operator/brands/${brandId}/keys`

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
    { title: "Last used", cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> }
  ]

  return (
    <CredentialsPage
      what="key"
      title="API Keys"
      description="Keys read this brand's leads and metrics. To rotate one, create its successor before you revoke it."
      calls={[
        { does: "The keys", path },
        { does: "Create a key", method: "POST", path, body: { label: "crm", requestsPerMinute: 600 } }
      ]}
      mayChange={useHasScope("admin")}
      query={useQuery(keysQuery(brandId))}
      queryKey={keysKey(brandId)}
      label="API keys"
      columns={columns}
      nameOf={({ label }) => label}
      empty={{
        icon: "key",
        title: "No API keys yet",
        text: "A key lets a program, or a colleague in this console, read the leads of this brand."
      }}
      createText="Create New Key"
      createDialog={(props) => <CreateKey brandId={brandId} {...props} />}
      sentenceEnd="."
      revoke={({ id }) =>
        answerOf(
          api.DELETE("/operator/brands/{brandId}/keys/{keyId}", { params: { path: { brandId, keyId: id } } })
        )
      }
    />
  )
}
