/** Settings > Operators: the tokens of operators, each shown once when it is created. [OPER-11] */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { type AccessToken, answerOf, api } from "../api/client.ts"
import { brandsQuery, tokensKey, tokensQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { allScopes, type Scope, scopeTexts, useHasScope } from "../session/permissions.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
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

interface CreateTokenProps {
  readonly onCreated: (token: string) => void
  readonly onClose: () => void
}

const CreateToken = ({ onClose, onCreated }: CreateTokenProps) => {
  const queryClient = useQueryClient()
  const { data: brands = [] } = useQuery({ ...brandsQuery, enabled: useHasScope("read") })
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<ReadonlyArray<Scope>>(["read"])
  const [brandId, setBrandId] = useState("")
  const [lastDay, setLastDay] = useState("")
  const toggle = (scope: Scope, isChosen: boolean) =>
    setScopes(allScopes.filter((each) => (each === scope ? isChosen : scopes.includes(each))))
  const create = async () => {
    const { data } = await answerOf(
      api.POST("/operator/tokens", {
        body: {
          name,
          scopes: [...scopes],
          ...(brandId === "" ? {} : { brandIds: [brandId] }),
          ...(lastDay === "" ? {} : { expiresAt: lastDay })
        }
      })
    )
    await queryClient.invalidateQueries({ queryKey: tokensKey })
    onCreated(data.token)
  }
  return (
    <FormDialog title="New token" does="Create token" onSubmit={create} onClose={onClose}>
      <TextField
        label="Name"
        hint="Who or what uses the token. The audit log shows it."
        required
        maxLength={256}
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">May</legend>
        {allScopes.map((scope, i) => (
          <label key={scope} className="touch:min-h-11 flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="accent-accent size-4 shrink-0"
              checked={scopes.includes(scope)}
              required={i === 0 && scopes.length === 0}
              onChange={(change) => toggle(scope, change.target.checked)}
            />
            <span>
              <code className="font-mono text-xs">{scope}</code>{" "}
              <span className="text-muted">{scopeTexts[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <SelectField
        label="Brands"
        hint="A token of one brand sees no other."
        value={brandId}
        onChange={(event) => setBrandId(event.target.value)}
      >
        <option value="">All, later ones too</option>
        {brands.map((brand) => (
          <option key={brand.id} value={brand.id}>
            {brand.name}
          </option>
        ))}
      </SelectField>
      <ExpiryField value={lastDay} onChange={setLastDay} />
    </FormDialog>
  )
}

export const OperatorsPage = () => {
  const { data: tokens, error, refetch } = useQuery(tokensQuery)
  const { data: brands = [] } = useQuery({ ...brandsQuery, enabled: useHasScope("read") })
  const queryClient = useQueryClient()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<string | null>(null)
  const [revoking, setRevoking] = useState<AccessToken | null>(null)

  const revoke = async ({ id, name }: AccessToken) => {
    await answerOf(api.DELETE("/operator/tokens/{tokenId}", { params: { path: { tokenId: id } } }))
    await queryClient.invalidateQueries({ queryKey: tokensKey })
    notify(`Revoked the token ${name}`)
  }
  const brandsOf = ({ brandIds }: AccessToken): string =>
    brandIds === null
      ? "All"
      : brandIds.map((id) => brands.find((brand) => brand.id === id)?.name ?? `Brand ${id}`).join(", ")

  const columns: ReadonlyArray<Column<AccessToken>> = [
    {
      title: "Name",
      cell: (token) => <CredentialLabel credential={token} text={token.name} />
    },
    {
      title: "May",
      cell: ({ scopes }) => (
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      )
    },
    {
      title: "Brands",
      className: "max-sm:hidden",
      cell: (token) => <span className="wrap-anywhere">{brandsOf(token)}</span>
    },
    {
      title: "Expires",
      className: "max-md:hidden",
      cell: ({ expiresAt }) => <Expiry at={expiresAt} />
    },
    {
      title: "Last used",
      className: "max-sm:hidden",
      cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} />
    },
    {
      title: "State",
      className: "text-right",
      cell: (token) => (
        <CredentialState
          credential={token}
          name={`the token ${token.name}`}
          onRevoke={() => setRevoking(token)}
        />
      )
    }
  ]

  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New token
    </Button>
  )
  const body = () => {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    if (tokens === undefined) return <Loading />
    if (tokens.length === 0)
      return (
        <div className="card">
          <Empty icon="operator" title="No tokens yet" action={create}>
            Give each collector, dashboard and person a token of their own. The first token, from the
            server&apos;s environment, is not listed.
          </Empty>
        </div>
      )
    return (
      <div className="card overflow-x-auto">
        <DataTable label="Operators' tokens" columns={columns} rows={tokens} keyOf={({ id }) => id} />
      </div>
    )
  }

  return (
    <>
      <PageHeader
        title="Operators"
        description="Tokens of operators, for all brands of this server. The audit log names who used them."
        actions={
          <>
            <CurlButton
              calls={[
                { does: "The tokens", path: "/operator/tokens" },
                {
                  does: "Create a token",
                  method: "POST",
                  path: "/operator/tokens",
                  body: { name: "collector", scopes: ["ingest"] }
                }
              ]}
            />
            {create}
          </>
        }
      />
      <div className="px-4 pb-6 md:px-6">{body()}</div>
      {isCreating ? <CreateToken onCreated={setCreated} onClose={() => setCreating(false)} /> : null}
      {created === null ? null : (
        <CreatedCredential what="token" value={created} onClose={() => setCreated(null)}>
          , and people sign in to this console with it.
        </CreatedCredential>
      )}
      {revoking === null ? null : (
        <RevokeDialog
          what="token"
          name={revoking.name}
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  )
}
