/** The course of an import: how far it is, what became of the lines, and those that were rejected. */
import { useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { leadsKey } from "../api/queries.ts"
import { observationOf } from "./fields.ts"
import { type Preview, rowsOf } from "./readFile.ts"
import { batchesOf, type Line, type RejectedLine, sendBatch } from "./sendObservations.ts"

/** More rejected lines are counted, and not kept: a file of another form would fill the memory. */
const maxKeptRejections = 10_000

export interface ImportState {
  readonly phase: "idle" | "running" | "stopped" | "done"
  /** Between 0 and 1. */
  readonly fraction: number
  readonly recorded: number
  readonly duplicate: number
  readonly suppressed: number
  readonly rejectedCount: number
  readonly rejected: ReadonlyArray<RejectedLine>
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
  error: null
}

/** What a file holds, and how its columns are read. */
export interface ImportPlan {
  readonly file: File
  readonly preview: Preview
  readonly mapping: ReadonlyArray<string>
  /** Of rows that name none. */
  readonly signalId: string
}

/** A line without a signal of its own is of the chosen one. */
const withSignal = (text: string, signalId: string): string => {
  if (signalId === "" || text.includes('"signalId"')) return text
  return text.replace(/^\s*\{/, `{"signalId":${JSON.stringify(signalId)},`)
}

export const useImport = (brandId: string) => {
  const queryClient = useQueryClient()
  const [state, setState] = useState(initial)
  const stopped = useRef(false)

  const send = async (lines: ReadonlyArray<Line>, fraction: number): Promise<void> => {
    for (const batch of batchesOf(lines)) {
      if (stopped.current) return
      const result = await sendBatch(brandId, batch)
      setState((before) => ({
        ...before,
        fraction,
        recorded: before.recorded + result.recorded,
        duplicate: before.duplicate + result.duplicate,
        suppressed: before.suppressed + result.suppressed,
        rejectedCount: before.rejectedCount + result.rejected.length,
        rejected: [...before.rejected, ...result.rejected].slice(0, maxKeptRejections)
      }))
    }
  }

  const run = async (work: () => Promise<void>): Promise<void> => {
    stopped.current = false
    try {
      await work()
      setState((before) => ({ ...before, phase: stopped.current ? "stopped" : "done", fraction: 1 }))
    } catch (error) {
      setState((before) => ({ ...before, phase: "stopped", error }))
    }
    await queryClient.invalidateQueries({ queryKey: leadsKey(brandId) })
  }

  const start = ({ file, mapping, preview, signalId }: ImportPlan) =>
    run(async () => {
      setState({ ...initial, phase: "running" })
      let number = 0
      for await (const { read, rows } of rowsOf(file, preview)) {
        if (stopped.current) return
        const lines = rows.map((cells): Line => {
          number += 1
          const text =
            preview.kind === "csv"
              ? JSON.stringify(observationOf(cells, mapping, signalId))
              : withSignal(cells[0]!, signalId)
          return { number, text }
        })
        await send(lines, read / Math.max(file.size, 1))
      }
    })

  /** Sends mended lines; those that are rejected once more stay. */
  const sendAgain = (lines: ReadonlyArray<Line>) =>
    run(async () => {
      setState((before) => ({
        ...before,
        phase: "running",
        fraction: 0,
        rejected: [],
        rejectedCount: 0,
        error: null
      }))
      await send(lines, 1)
    })

  return {
    state,
    start,
    sendAgain,
    stop: () => {
      stopped.current = true
    },
    reset: () => setState(initial)
  }
}
