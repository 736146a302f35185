/** Signals: what a brand watches. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { answerOf, api, type Signal } from "../api/client.ts"
import { signalsKey, signalsQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { useHasScope } from "../session/permissions.ts"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Name } from "../ui/Name.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { notify } from "../ui/toasts.tsx"
import { sourceTexts, type SourceType } from "./sourceTypes.ts"

interface DialogProps {
  readonly brandId: string
  readonly onClose: () => void
}

const useRefresh = (brandId: string) => {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: signalsKey(brandId) })
}

const CreateSignal = ({ brandId, onClose }: DialogProps) => {
  const refresh = useRefresh(brandId)
  const [name, setName] = useState("")
  const [signalType, setSignalType] = useState("")
  const [type, setType] = useState<SourceType>("li-company-url")
  const [value, setValue] = useState("")
  const source = sourceTexts[type]
  const create = async () => {
    await answerOf(
      api.POST("/operator/brands/{brandId}/signals", {
        params: { path: { brandId } },
        body: { name, signalType: signalType === "" ? type : signalType, source: { type, value } }
      })
    )
    await refresh()
    notify(`Created the signal ${name}`)
  }
  return (
    <FormDialog
      title="New signal"
      description="Your collector sends what it saw with the id of the signal that caught it."
      does="Create signal"
      onSubmit={create}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={256}
        autoFocus
        placeholder="Rivals"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Watches"
        value={type}
        onChange={(event) => setType(event.target.value as SourceType)}
      >
        {Object.entries(sourceTexts).map(([id, { text }]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </SelectField>
      <TextField
        label={source.value}
        required
        type={source.isUrl ? "url" : "text"}
        placeholder={source.placeholder}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <TextField
        label="Kind"
        hint="A word of yours, which your receivers get. Empty: as what it watches."
        maxLength={256}
        placeholder={type}
        value={signalType}
        onChange={(event) => setSignalType(event.target.value)}
      />
    </FormDialog>
  )
}

const RenameSignal = ({ brandId, onClose, signal }: DialogProps & { readonly signal: Signal }) => {
  const refresh = useRefresh(brandId)
  const [name, setName] = useState(signal.name)
  const rename = async () => {
    await answerOf(
      api.PATCH("/operator/brands/{brandId}/signals/{id}", {
        params: { path: { brandId, id: signal.id } },
        body: { name }
      })
    )
    await refresh()
  }
  return (
    <FormDialog
      title="Rename the signal"
      description="The new name shows at once wherever the signal is shown."
      does="Rename"
      onSubmit={rename}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={256}
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  )
}

/** For the scope `read`; creating, renaming and deleting need `admin`. The id under a name is what observations carry. */
export const SignalsPage = () => {
  const { brandId } = useParams({ from: "/brands/$brandId/signals" })
  const { data: signals, error, refetch } = useQuery(signalsQuery(brandId))
  const refresh = useRefresh(brandId)
  const [isCreating, setCreating] = useState(false)
  const mayChange = useHasScope("admin")
  const [renaming, setRenaming] = useState<Signal | null>(null)
  const [deleting, setDeleting] = useState<Signal | null>(null)

  const remove = async ({ id, name }: Signal) => {
    await answerOf(
      api.DELETE("/operator/brands/{brandId}/signals/{id}", { params: { path: { brandId, id } } })
    )
    await refresh()
    notify(`Deleted the signal ${name}`)
  }

  const actions: Column<Signal> = {
    title: "Actions",
    className: "w-px text-right whitespace-nowrap",
    cell: (signal) => (
      <span className="inline-flex items-center gap-1">
        <Button onClick={() => setRenaming(signal)} aria-label={`Rename the signal ${signal.name}`}>
          Rename
        </Button>
        <IconButton
          icon="trash"
          label={`Delete the signal ${signal.name}`}
          onClick={() => setDeleting(signal)}
        />
      </span>
    )
  }
  const columns: ReadonlyArray<Column<Signal>> = [
    {
      title: "Name",
      cell: ({ id, name, source }) => (
        <span className="flex flex-col">
          <Link
            to="/brands/$brandId/leads"
            params={{ brandId }}
            search={{ signalId: id }}
            className="touch:min-h-11 touch:justify-center flex flex-col underline-offset-2 hover:underline"
          >
            <Name text={name} className="font-medium wrap-anywhere" />
            <span className="text-muted text-xs">id {id}</span>
            <span className="text-muted text-xs wrap-anywhere sm:hidden">{source.value}</span>
          </Link>
        </span>
      )
    },
    {
      title: "Watches",
      className: "max-sm:hidden",
      cell: ({ source }) => (
        <span className="flex min-w-0 flex-col">
          <span>{source.type === null ? "" : sourceTexts[source.type].text}</span>
          <span className="text-muted text-xs break-all">{source.value}</span>
        </span>
      )
    },
    {
      title: "Kind",
      className: "max-lg:hidden",
      cell: ({ signalType }) => <span className="text-muted">{signalType}</span>
    },
    { title: "Created", className: "max-md:hidden", cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...(mayChange ? [actions] : [])
  ]

  const create = mayChange ? (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New signal
    </Button>
  ) : null
  const body = () => {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    if (signals === undefined) return <Loading />
    if (signals.length === 0)
      return (
        <div className="card">
          <Empty icon="signal" title="No signals yet" action={create}>
            A signal says what this brand watches: a company's page, a person, a post or words. Observations
            name the signal that caught them.
          </Empty>
        </div>
      )
    return (
      <div className="card overflow-x-auto">
        <DataTable label="Signals" columns={columns} rows={signals} keyOf={({ id }) => id} />
      </div>
    )
  }
  const path = `/operator/brands/${brandId}/signals`
  return (
    <>
      <PageHeader
        title="Signals"
        description="What this brand watches."
        actions={
          <>
            <CurlButton
              calls={[
                { does: "The signals", path },
                {
                  does: "Create a signal",
                  method: "POST",
                  path,
                  body: {
                    name: "Rivals",
                    signalType: "competitor-posts",
                    source: { type: "li-company-url", value: "https://network.example/company/rival" }
                  }
                }
              ]}
            />
            {create}
          </>
        }
      />
      <div className="px-4 pb-6 md:px-6">{body()}</div>
      {isCreating ? <CreateSignal brandId={brandId} onClose={() => setCreating(false)} /> : null}
      {renaming === null ? null : (
        <RenameSignal brandId={brandId} signal={renaming} onClose={() => setRenaming(null)} />
      )}
      {deleting === null ? null : (
        <ConfirmDialog
          title="Delete this signal"
          does="Delete for good"
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(null)}
        >
          The signal <strong>{deleting.name}</strong> goes, and later observations that name it are rejected.
          Its leads and their engagements stay, without the signal's name. This can't be undone.
        </ConfirmDialog>
      )}
    </>
  )
}
