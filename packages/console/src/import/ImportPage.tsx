/** Import: a file of observations, from this computer. */
import { useQuery } from "@tanstack/react-query"
import { Link, useBlocker, useParams } from "@tanstack/react-router"
import { type DragEvent, useEffect, useState } from "react"
import { signalsQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Button, buttonClass } from "../ui/Button.tsx"
import { Dialog, DialogActions } from "../ui/Dialog.tsx"
import { SelectField } from "../ui/Field.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Empty, Failure } from "../ui/States.tsx"
import { saveText } from "../ui/saveFile.ts"
import { notifyFailure } from "../ui/toasts.tsx"
import { fields, guess, missingFields } from "./fields.ts"
import { Mapping } from "./Mapping.tsx"
import { type Preview, previewOf } from "./readFile.ts"
import { RejectedLines } from "./RejectedLines.tsx"
import { type ImportState, useImport } from "./useImport.ts"

const FileDrop = ({ onFile }: { readonly onFile: (file: File) => void }) => {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file !== undefined) onFile(file)
  }
  return (
    <label
      htmlFor="file"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`focus-within:outline-accent flex flex-col items-center gap-2 rounded-lg border-2 border-dashed px-6 py-14 text-center focus-within:outline-2 focus-within:outline-offset-2 ${isOver ? "border-accent bg-accent-soft" : "border-edge bg-surface"}`}
    >
      <Icon name="import" className="text-muted size-6" />
      <span className="font-medium">Drop a file here, or choose one</span>
      <span className="text-muted max-w-md text-sm">
        JSONL with one observation a line, or CSV with names of columns in its first line. It stays on this
        computer until you send it.
      </span>
      <input
        id="file"
        type="file"
        accept=".csv,.jsonl,.ndjson,.json,.txt,text/csv,application/x-ndjson"
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file !== undefined) onFile(file)
        }}
      />
    </label>
  )
}

/** What a file may look like; the signal is the first of the brand. */
const samplesOf = (signalId: string) => ({
  csv: [
    "Signal,External id,Name,Headline,Company id,Company,Engagement id,Type,Comment,Post URL,Seen at",
    `${signalId},p-1,Ada Example,"Buyer, North",7,Example Works,e-1,comment,Where can I get it?,https://network.example/p/1,2026-01-02T09:30:00Z`,
    `${signalId},p-2,Bo Example,Seller,,,e-2,reaction,,https://network.example/p/1,2026-01-02T10:00:00Z`,
    ""
  ].join("\r\n"),
  jsonl: [
    {
      signalId,
      person: {
        extId: "p-1",
        name: "Ada Example",
        headline: "Buyer, North",
        company: { id: 7, name: "Example Works" }
      },
      engagement: {
        id: "e-1",
        type: "comment",
        commentText: "Where can I get it?",
        postUrl: "https://network.example/p/1",
        trackedAt: "2026-01-02T09:30:00Z"
      }
    },
    {
      signalId,
      person: { extId: "p-2", name: "Bo Example", headline: "Seller" },
      engagement: {
        id: "e-2",
        type: "reaction",
        postUrl: "https://network.example/p/1",
        trackedAt: "2026-01-02T10:00:00Z"
      }
    }
  ]
    .map((observation) => `${JSON.stringify(observation)}\n`)
    .join("")
})

const Samples = ({ signalId }: { readonly signalId: string }) => {
  const samples = samplesOf(signalId)
  return (
    <section aria-labelledby="samples" className="card flex flex-col gap-3 p-4 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="samples" className="grow text-sm font-semibold">
          What a file holds
        </h2>
        <Button icon="download" onClick={() => saveText("sample.csv", "text/csv", samples.csv)}>
          Sample CSV
        </Button>
        <Button
          icon="download"
          onClick={() => saveText("sample.jsonl", "application/x-ndjson", samples.jsonl)}
        >
          Sample JSONL
        </Button>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {fields.map(({ isRequired, path, text }) => (
          <div key={path} className="contents">
            <dt>
              {text}
              {isRequired || path === "signalId" ? <span className="text-muted"> (required)</span> : null}
            </dt>
            <dd className="text-muted min-w-0 font-mono text-xs leading-5 break-all">{path}</dd>
          </div>
        ))}
      </dl>
      <p className="text-muted">
        Columns of CSV may have other names: you say which is which. One signal can be chosen here for all
        rows that name none.
      </p>
    </section>
  )
}

const maxListedFields = 10

/** Names alone: the file has the values. [OBS-11] */
const IgnoredFields = ({ counts }: { readonly counts: ReadonlyMap<string, number> }) => {
  if (counts.size === 0) return null
  const all = [...counts].sort(([, a], [, b]) => b - a)
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p>No observation has these fields. They were ignored, and their lines recorded without them:</p>
      <ul className="text-muted flex flex-wrap gap-x-4">
        {all.slice(0, maxListedFields).map(([path, count]) => (
          <li key={path} className="wrap-anywhere">
            <code className="font-mono text-xs">{path}</code> ({count.toLocaleString("en")})
          </li>
        ))}
        {all.length > maxListedFields ? <li>and {all.length - maxListedFields} more</li> : null}
      </ul>
    </div>
  )
}

const Progress = ({ onStop, state }: { readonly state: ImportState; readonly onStop: () => void }) => {
  const { duplicate, fraction, phase, recorded, rejectedCount, suppressed } = state
  const figures = [
    ["Recorded", recorded],
    ["Already there", duplicate],
    ["Erased before", suppressed],
    ["Rejected", rejectedCount]
  ] as const
  const titles = { idle: "", running: "Importing", stopped: "Stopped", done: "Done" } as const
  return (
    <section aria-labelledby="progress" className="card flex flex-col gap-3 p-4">
      <div className="flex items-center gap-3">
        <h2 id="progress" className="text-sm font-semibold">
          <span role="status">{titles[phase]}</span>
        </h2>
        <progress aria-label="Import" className="accent-accent grow" max={1} value={fraction} />
        {phase === "running" ? <Button onClick={onStop}>Stop</Button> : null}
      </div>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-muted text-xs">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">{value.toLocaleString("en")}</dd>
          </div>
        ))}
      </dl>
      <IgnoredFields counts={state.unknownFields} />
      {state.error === null ? null : <Failure error={state.error} />}
    </section>
  )
}

interface Chosen {
  readonly file: File
  readonly preview: Preview
  readonly mapping: ReadonlyArray<string>
}

const isOtherPage = ({
  current,
  next
}: {
  readonly current: { readonly pathname: string }
  readonly next: { readonly pathname: string }
}) => current.pathname !== next.pathname

/** Asks before the page is left while an import runs; closing or reloading the page has the browser ask. */
const LeaveDialog = ({ isRunning }: { readonly isRunning: boolean }) => {
  const { proceed, reset } = useBlocker({
    shouldBlockFn: isOtherPage,
    disabled: !isRunning,
    withResolver: true
  })
  // An import that ends meanwhile leaves its result to be read.
  useEffect(() => {
    if (!isRunning) reset?.()
  }, [isRunning, reset])
  return proceed === undefined || !isRunning ? null : (
    <Dialog title="The import is still running" onClose={reset}>
      <p className="text-sm">
        It stops when you leave this page. What was sent until then stays recorded, and sending the file again
        later adds only the rest.
      </p>
      <DialogActions>
        <Button onClick={proceed}>Stop and leave</Button>
        <Button look="primary" onClick={reset}>
          Stay
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const BrandImport = ({ brandId }: { readonly brandId: string }) => {
  const { data: signals } = useQuery(signalsQuery(brandId))
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [signal, setSignal] = useState("")
  const { reset, sendAgain, start, state, stop } = useImport(brandId)

  const choose = async (file: File) => {
    const preview = await previewOf(file)
    setChosen({ file, preview, mapping: guess(preview.columns) })
  }
  const again = () => {
    reset()
    setChosen(null)
  }
  const hasSignal = signal !== ""
  const missing =
    chosen === null || chosen.preview.kind === "jsonl" ? [] : missingFields(chosen.mapping, hasSignal)

  const content = () => {
    if (signals?.length === 0)
      return (
        <div className="card">
          <Empty
            icon="signal"
            title="Create a signal first"
            action={
              <Link to="/brands/$brandId/signals" params={{ brandId }} className={buttonClass("primary")}>
                Create a signal
              </Link>
            }
          >
            Each observation names the signal that caught it.
          </Empty>
        </div>
      )
    if (chosen === null)
      return (
        <>
          <FileDrop onFile={(file) => void choose(file).catch(notifyFailure)} />
          <Samples signalId={signals?.[0]?.id ?? "1"} />
        </>
      )
    const { file, mapping, preview } = chosen
    const plan = { file, preview, mapping, signalId: signal }
    return (
      <>
        <div className="card flex flex-wrap items-end gap-4 p-4">
          <div className="min-w-0 grow basis-52">
            <p className="font-medium break-all">{file.name}</p>
            <p className="text-muted text-sm">
              {preview.kind === "csv" ? `CSV, ${preview.columns.length} columns` : "JSONL"},{" "}
              {Math.ceil(file.size / 1024).toLocaleString("en")} KiB
            </p>
          </div>
          {state.phase === "idle" ? (
            <>
              <div className="w-56">
                <SelectField
                  label="Signal of rows that name none"
                  value={signal}
                  onChange={(event) => setSignal(event.target.value)}
                >
                  <option value="">None</option>
                  {signals?.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </SelectField>
              </div>
              <Button onClick={again}>Another file</Button>
              <Button
                look="primary"
                icon="import"
                disabled={missing.length > 0}
                onClick={() => void start(plan)}
              >
                Import
              </Button>
            </>
          ) : (
            <Button disabled={state.phase === "running"} onClick={again}>
              Another file
            </Button>
          )}
        </div>
        {missing.length > 0 ? (
          <p role="status" className="bg-warn-soft text-warn rounded-md px-3 py-2 text-sm">
            Choose the column of: {missing.join(", ")}.
          </p>
        ) : null}
        {state.phase === "idle" ? null : <Progress state={state} onStop={stop} />}
        {state.phase === "idle" && preview.kind === "csv" ? (
          <Mapping
            preview={preview}
            mapping={mapping}
            onChange={(next) => setChosen({ ...chosen, mapping: next })}
          />
        ) : null}
        {state.rejectedCount > 0 ? (
          <RejectedLines
            plan={plan}
            lines={state.rejected}
            count={state.rejectedCount}
            isRunning={state.phase === "running"}
            onSend={(mended) => void sendAgain(plan, mended)}
          />
        ) : null}
        {state.phase === "done" && state.rejectedCount === 0 ? (
          <Link
            to="/brands/$brandId/leads"
            params={{ brandId }}
            className={`${buttonClass("primary")} self-start`}
          >
            Open the leads
          </Link>
        ) : null}
      </>
    )
  }
  return (
    <>
      <PageHeader
        title="Import"
        description="Sending a file twice changes nothing: an engagement is known by its id."
        actions={
          <CurlButton
            calls={[
              {
                does: "Send observations",
                method: "POST",
                path: `/operator/brands/${brandId}/observations`,
                body: {
                  observations: [
                    {
                      signalId: signal || "1",
                      person: { extId: "p-1", name: "Ada Example" },
                      engagement: { id: "e-1", type: "reaction" }
                    }
                  ]
                }
              }
            ]}
          />
        }
      />
      <div className="flex flex-col gap-4 px-4 pb-8 md:px-6">{content()}</div>
      <LeaveDialog isRunning={state.phase === "running"} />
    </>
  )
}

/**
 * Imports one file of a brand; another brand begins with no file. It asks before it is left while an import runs, and an import that goes on without its
 * page is stopped.
 */
export const ImportPage = () => {
  const { brandId } = useParams({ from: "/brands/$brandId/import" })
  return <BrandImport key={brandId} brandId={brandId} />
}
