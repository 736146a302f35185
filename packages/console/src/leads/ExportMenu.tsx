/** Writes the leads that the filters let through into a file, with progress. */
import { useRef, useState } from "react"
import { exportedLeadsQuery, type LeadQuery } from "../api/queries.ts"
import { queryClient } from "../api/queryClient.ts"
import { useSession } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { MenuButton } from "../ui/MenuButton.tsx"
import { growingFile } from "../ui/saveFile.ts"
import { notify, notifyFailure } from "../ui/toasts.tsx"
import { allLeads, type Format, headerOf, linesOf } from "./exportLeads.ts"

const types: Readonly<Record<Format, string>> = { csv: "text/csv", jsonl: "application/x-ndjson" }
const count = new Intl.NumberFormat("en")

interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * The menu "Export"; while a file is written, its progress and "Cancel". The leads are those of the filter when it begins. A failed or cancelled
 * export leaves no file.
 */
export const ExportMenu = ({
  brandId,
  filter
}: {
  readonly brandId: string
  readonly filter: () => LeadQuery
}) => {
  const { access } = useSession()
  const [progress, setProgress] = useState<Progress | null>(null)
  const running = useRef<AbortController | null>(null)

  const run = async (format: Format): Promise<void> => {
    const file = await growingFile(`leads-${new Date().toISOString().slice(0, 10)}.${format}`, types[format])
    if (file === null) return
    const abort = new AbortController()
    running.current = abort
    const chosen = filter()
    // Through the cache's client, which waits while a key's rate window is used up.
    const read = (query: LeadQuery) =>
      queryClient.fetchQuery(exportedLeadsQuery(access, brandId, query, abort.signal))
    let done = 0
    setProgress({ done, total: 0 })
    try {
      await file.write(headerOf(format))
      for await (const { leads, total } of allLeads(read, chosen)) {
        abort.signal.throwIfAborted()
        await file.write(linesOf(format, leads))
        done += leads.length
        setProgress({ done, total })
      }
      await file.close()
      notify(`Exported ${count.format(done)} leads`)
    } catch (failure) {
      await file.abort()
      if (!abort.signal.aborted) notifyFailure(failure)
    } finally {
      setProgress(null)
    }
  }

  if (progress !== null)
    return (
      <span className="flex items-center gap-2 text-sm" role="status">
        <progress
          aria-label="Export"
          className="accent-accent w-24"
          max={progress.total || 1}
          value={progress.done}
        />
        <span className="text-muted tabular-nums">
          {count.format(progress.done)} of {count.format(progress.total)}
        </span>
        <Button onClick={() => running.current?.abort()}>Cancel</Button>
      </span>
    )
  return (
    <MenuButton
      icon="download"
      label="Export"
      items={[
        { text: "CSV, for spreadsheets", onSelect: () => void run("csv").catch(notifyFailure) },
        { text: "JSONL, one lead a line", onSelect: () => void run("jsonl").catch(notifyFailure) }
      ]}
    />
  )
}
