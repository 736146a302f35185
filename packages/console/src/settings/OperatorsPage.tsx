/** Settings > Operators: the tokens of operators, each shown once when it is created. [OPER-11] */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type AccessToken, answerOf, api } from "../api/client.ts"
import { brandsQuery, tokensKey, tokensQuery } from "../api/queries.ts"
import { allScopes, type Scope, scopeTexts, useHasScope } from "../session/permissions.ts"
import { Badge } from "../ui/Badge.tsx"
import type { Column } from "../ui/DataTable.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { CredentialLabel, Expiry, ExpiryField, LastUse } from "./Credential.tsx"
import { type CreateCredentialProps, CredentialsPage } from "./CredentialsPage.tsx"

const CreateToken = ({ onClose, onCreated }: CreateCredentialProps) => {
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

/** For the scope `admin` of all brands. The environment's token is not listed, and can't be revoked here. */
export const OperatorsPage = () => {
  const { data: brands = [] } = useQuery({ ...brandsQuery, enabled: useHasScope("read") })
  const path = "/operator/tokens"
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
    }
  ]

  return (
    <CredentialsPage
      what="token"
      title="Operators"
      description="Tokens of operators, for all brands of this server. The audit log names who used them."
      calls={[
        { does: "The tokens", path },
        { does: "Create a token", method: "POST", path, body: { name: "collector", scopes: ["ingest"] } }
      ]}
      mayChange
      query={useQuery(tokensQuery)}
      queryKey={tokensKey}
      label="Operators' tokens"
      columns={columns}
      nameOf={({ name }) => name}
      empty={{
        icon: "operator",
        title: "No tokens yet",
        text: "Give each collector, dashboard and person a token of their own. The first token, from the server's environment, is not listed."
      }}
      createText="New token"
      createDialog={(props) => <CreateToken {...props} />}
      sentenceEnd=", and people sign in to this console with it."
      revoke={({ id }) =>
        answerOf(api.DELETE("/operator/tokens/{tokenId}", { params: { path: { tokenId: id } } }))
      }
    />
  )
}
