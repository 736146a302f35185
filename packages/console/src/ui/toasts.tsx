/** Short notes about what was done, some with a way back. A screen reader reads them out as they come. */
import { useEffect, useSyncExternalStore } from "react"
import { messageOf } from "../api/client.ts"
import { Button, IconButton } from "./Button.tsx"
import { Icon } from "./Icon.tsx"

interface Note {
  readonly id: number
  readonly text: string
  readonly isFailure: boolean
  readonly undo: (() => void) | null
}

const maxNotes = 3
const [shortMillis, longMillis] = [4000, 10_000]

let notes: ReadonlyArray<Note> = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: ReadonlyArray<Note>): void => {
  notes = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => change(notes.filter((note) => note.id !== id))

const add = (note: Omit<Note, "id">): void => {
  lastId += 1
  change([...notes, { ...note, id: lastId }].slice(-maxNotes))
}

/** Says what was done; `undo` takes it back. */
export const notify = (text: string, undo: (() => void) | null = null): void =>
  add({ text, undo, isFailure: false })

/** Says what failed, for 10 s. */
export const notifyFailure = (failure: unknown): void =>
  add({ text: messageOf(failure), undo: null, isFailure: true })

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const NoteCard = ({ note: { id, isFailure, text, undo } }: { readonly note: Note }) => {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), isFailure || undo !== null ? longMillis : shortMillis)
    return () => clearTimeout(timer)
  }, [id, isFailure, undo])
  return (
    <div
      role={isFailure ? "alert" : undefined}
      className="card pointer-events-auto flex w-full items-center gap-3 py-1.5 pr-1.5 pl-4 text-sm shadow-lg"
    >
      <Icon
        name={isFailure ? "alert" : "check"}
        className={`size-4 ${isFailure ? "text-danger" : "text-accent"}`}
      />
      <p className="grow font-medium">{text}</p>
      {undo === null ? null : (
        <Button
          onClick={() => {
            undo()
            dismiss(id)
          }}
        >
          Undo
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  )
}

/** At most three, the newest last; rendered once, above everything. */
export const Notes = () => {
  const visible = useSyncExternalStore(subscribe, () => notes)
  return (
    <div
      role="status"
      aria-label="Notes"
      className="pointer-events-none fixed inset-x-3 bottom-12 z-[60] mx-auto flex max-w-md flex-col gap-2"
    >
      {visible.map((note) => (
        <NoteCard key={note.id} note={note} />
      ))}
    </div>
  )
}
