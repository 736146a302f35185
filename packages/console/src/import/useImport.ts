/** The course of an import: how far it is, what became of the lines, and those that were rejected. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { CallFailed } from "../api/client.ts"
import { Refusal } from "../api/Refusal.ts"
import { leadsKey } from "../api/queries.ts"
import { observationOf } from "./fields.ts"
import { type Preview, rowsOf } from "./readFile.ts"
import { batchesOf, type BatchResult, type Line, type RejectedLine, sendBatch } from "./sendObservations.ts"

/** More rejected lines are counted, and not kept: a file of another form would fill the memory. */
const maxKeptRejections = 10_000

/** What the page shows of an import. `stopped`: by the person, or by `error`; what was sent until then stays recorded. */
export interface ImportState {
  readonly phase: "idle" | "running" | "stopped" | "done"
  /** Between 0 and 1. */
  readonly fraction: number
  readonly recorded: number
  readonly duplicate: number
  readonly suppressed: number
  readonly rejectedCount: number
  /** Those that are kept, with what was mended in them. */
  readonly rejected: ReadonlyArray<RejectedLine>
  /** How many lines had each field that was ignored, by its path. */
  readonly unknownFields: ReadonlyMap<string, number>
  readonly error: unknown
}

const initial: ImportState = {
  phase: "idle",
  fraction: 0,
  recorded: 0,
  duplicate: 0,
  suppressed: 0,
  rejectedCount: 0,
  rejected: [],
  unknownFields: new Map(),
  error: null
}

/** A file can have another name in each line. */
const maxKeptFields = 100

const countedFields = (
  before: ReadonlyMap<string, number>,
  paths: ReadonlyArray<string>
): ReadonlyMap<string, number> => {
  if (paths.length === 0) return before
  const counts = new Map(before)
  for (const path of paths)
    if (counts.has(path) || counts.size < maxKeptFields) counts.set(path, (counts.get(path) ?? 0) + 1)
  return counts
}

/** The page stays as it is, with its rejected lines: a page that asks to sign in would lose them. */
const sessionEnded =
  "Your session has ended. Sign in again in another tab, then send the same file here once more: what was recorded is not recorded again."

const isSessionEnd = (failure: unknown): boolean => failure instanceof CallFailed && failure.status === 401

/** What a file holds, and how its columns are read. */
export interface ImportPlan {
  readonly file: File
  readonly preview: Preview
  readonly mapping: ReadonlyArray<string>
  /** The signal of rows that name none. */
  readonly signalId: string
}

/** A line without a signal of its own is of the chosen one. */
const withSignal = (text: string, signalId: string): string => {
  if (signalId === "" || text.includes('"signalId"')) return text
  return text.replace(/^\s*\{/, `{"signalId":${JSON.stringify(signalId)},`)
}

/** The observation of a row, as JSON text. */
const textOf = ({ mapping, preview, signalId }: ImportPlan, cells: ReadonlyArray<string>): string =>
  preview.kind === "csv"
    ? JSON.stringify(observationOf(cells, mapping, signalId))
    : withSignal(cells[0]!, signalId)

const sumUp = (before: ImportState, result: BatchResult) => ({
  recorded: before.recorded + result.recorded,
  duplicate: before.duplicate + result.duplicate,
  suppressed: before.suppressed + result.suppressed,
  unknownFields: countedFields(before.unknownFields, result.unknownFields)
})

/** A batch of the file: what is rejected comes to the rest. */
const afterBatch = (before: ImportState, result: BatchResult): ImportState => ({
  ...before,
  ...sumUp(before, result),
  rejectedCount: before.rejectedCount + result.rejected.length,
  rejected: [...before.rejected, ...result.rejected].slice(0, maxKeptRejections)
})

/**
 * A batch of mended lines: those that are taken leave the rejected ones, the others stay where they were with their new reason. Lines that were
 * not sent yet stay as they are, whatever ends the sending.
 */
const afterMendedBatch = (
  before: ImportState,
  batch: ReadonlyArray<Line>,
  result: BatchResult
): ImportState => {
  const sent = new Set(batch.map(({ number }) => number))
  const still = new Map(result.rejected.map((line) => [line.number, line]))
  return {
    ...before,
    ...sumUp(before, result),
    rejectedCount: before.rejectedCount - sent.size + still.size,
    rejected: before.rejected.flatMap((line) => {
      if (!sent.has(line.number)) return [line]
      const rejected = still.get(line.number)
      return rejected === undefined ? [] : [rejected]
    })
  }
}

/**
 * Imports one file at a time into the brand. `stop` ends an import after the request under way, and so does leaving the page, because no progress would be
 * seen from then on. Sending the same file again later is harmless: what was recorded counts as a duplicate.
 */
export const useImport = (brandId: string) => {
  const queryClient = useQueryClient()
  const [state, setState] = useState(initial)
  const current = useRef(new AbortController())
  useEffect(() => () => current.current.abort(), [])

  const run = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    current.current = new AbortController()
    const { signal } = current.current
    try {
      await work(signal)
      setState((before) =>
        signal.aborted ? { ...before, phase: "stopped" } : { ...before, phase: "done", fraction: 1 }
      )
    } catch (failure) {
      const error = isSessionEnd(failure) ? new Refusal(sessionEnded) : failure
      setState((before) => ({ ...before, phase: "stopped", error }))
    }
    await queryClient.invalidateQueries({ queryKey: leadsKey(brandId) })
  }

  const start = (plan: ImportPlan) =>
    run(async (signal) => {
      setState({ ...initial, phase: "running" })
      const { file, preview } = plan
      for await (const { read, rows } of rowsOf(file, preview)) {
        const lines = rows.map((row): Line => ({ ...row, text: textOf(plan, row.cells) }))
        for (const batch of batchesOf(lines)) {
          if (signal.aborted) return
          const result = await sendBatch(brandId, batch, signal)
          setState((before) => ({ ...afterBatch(before, result), fraction: read / Math.max(file.size, 1) }))
        }
        if (signal.aborted) return
      }
    })

  /** Sends the rejected lines once more, with what was mended in them, by their numbers. */
  const sendAgain = (plan: ImportPlan, mended: ReadonlyMap<number, ReadonlyArray<string>>) =>
    run(async (signal) => {
      const lines = state.rejected.map((line): RejectedLine => {
        const cells = mended.get(line.number)
        return cells === undefined ? line : { ...line, cells, text: textOf(plan, cells) }
      })
      setState((before) => ({ ...before, phase: "running", fraction: 0, rejected: lines, error: null }))
      let sent = 0
      for (const batch of batchesOf(lines)) {
        if (signal.aborted) return
        const result = await sendBatch(brandId, batch, signal)
        sent += batch.length
        const fraction = sent / lines.length
        setState((before) => ({ ...afterMendedBatch(before, batch, result), fraction }))
      }
    })

  return {
    state,
    start,
    sendAgain,
    stop: () => current.current.abort(),
    reset: () => setState(initial)
  }
}
