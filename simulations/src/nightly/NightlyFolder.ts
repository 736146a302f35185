/**
 * The folder in which `nightly` keeps its corpus and its findings. A file is written beside its place and then renamed, so that
 * a process killed at any moment leaves the file as it was or as it is to be.
 */
import { Either, Schema } from "effect"
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"

const Run = {
  /** A scenario of the project. */
  scenario: Schema.String,
  seed: Schema.Int,
  store: Schema.Literal("memory", "sqlite", "sqlite-encrypted")
}

/** A seed that was the first to reach some coverage keys. */
const CorpusEntry = Schema.Struct({ ...Run, keys: Schema.Array(Schema.String) })

/** A run that reached coverage keys which no run of the corpus before it had. */
export type CorpusEntry = typeof CorpusEntry.Type

const Finding = Schema.Struct({
  ...Run,
  signature: Schema.String,
  rule: Schema.String,
  message: Schema.String,
  /** How the run ended: each cause has an exit code of its own. */
  outcome: Schema.Literal("violated", "livelocked", "crashed"),
  /** A file of the folder; null for a run that the simulator itself did not survive. */
  counterexample: Schema.NullOr(Schema.String),
  /** How many runs showed it. */
  times: Schema.Int,
  /** Whether a command has ended with its exit code. Until then it is new. */
  isReported: Schema.Boolean
})

/** A violation, a livelock or a crash, counted under one signature however often it comes. */
export type Finding = typeof Finding.Type

const version = 1

const State = Schema.Struct({
  version: Schema.Literal(version),
  /** From here on no seed was explored. */
  nextSeed: Schema.Int,
  corpus: Schema.Array(CorpusEntry),
  findings: Schema.Array(Finding)
})

/** What the folder keeps between nights. */
export type NightlyState = typeof State.Type

const emptyState: NightlyState = { version, nextSeed: 1, corpus: [], findings: [] }

/** Something about the folder that its owner must change. */
export class FolderProblem extends Error {
  override readonly name = "FolderProblem"
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown"

const isAlive = (process_: number): boolean => {
  try {
    process.kill(process_, 0)
    return true
  } catch (error) {
    // Somebody else's.
    return codeOf(error) === "EPERM"
  }
}

const temporarySuffix = ".part"

/** One process at a time has it open, by a lock file; a lock of a process that is gone is taken over. */
export class NightlyFolder {
  private readonly stateFile: string
  private readonly lockFile: string

  private constructor(readonly path: string) {
    this.stateFile = join(path, "state.json")
    this.lockFile = join(path, "lock")
  }

  /** Opens or makes the folder. Throws a `FolderProblem` when it can't be written, or when another process uses it. */
  static open(path: string): NightlyFolder {
    const folder = new NightlyFolder(path)
    try {
      mkdirSync(path, { recursive: true })
      folder.lock()
      for (const name of readdirSync(path)) if (name.endsWith(temporarySuffix)) rmSync(join(path, name))
    } catch (error) {
      if (error instanceof FolderProblem) throw error
      throw new FolderProblem(`${path} can't be written: ${codeOf(error)}.`)
    }
    return folder
  }

  /** Leaves the folder to others. */
  close(): void {
    rmSync(this.lockFile, { force: true })
  }

  /** What was saved; an empty state in a new folder. Throws a `FolderProblem` for a state that it can't take over. */
  load(): NightlyState {
    if (!existsSync(this.stateFile)) return emptyState
    const problem = (what: string): FolderProblem =>
      new FolderProblem(`${this.stateFile} ${what}. Move it away, or name another folder with --corpus.`)
    let value: unknown
    try {
      value = JSON.parse(readFileSync(this.stateFile, "utf8"))
    } catch (error) {
      throw problem(error instanceof SyntaxError ? "is not JSON" : `can't be read: ${codeOf(error)}`)
    }
    const found = (value as { readonly version?: unknown } | null)?.version
    if (found !== version) {
      throw problem(`has version ${JSON.stringify(found)}, and this simulator reads version ${version}`)
    }
    return Either.getOrThrowWith(Schema.decodeUnknownEither(State)(value), ({ message }) =>
      problem(
        `is damaged: ${message
          .split("\n")
          .at(-1)!
          .replace(/^[└─ ]+/, "")}`
      )
    )
  }

  save(state: NightlyState): void {
    const temporary = `${this.stateFile}${temporarySuffix}`
    try {
      const file = openSync(temporary, "w")
      try {
        writeFileSync(file, `${JSON.stringify(state, null, 1)}\n`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(temporary, this.stateFile)
    } catch (error) {
      throw new FolderProblem(`${this.stateFile} can't be written: ${codeOf(error)}.`)
    }
  }

  /** Takes the folder for this process; a process that was killed no longer holds it. */
  private lock(): void {
    for (;;) {
      try {
        writeFileSync(this.lockFile, String(process.pid), { flag: "wx" })
        return
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
      }
      const holder = Number(readFileSync(this.lockFile, "utf8"))
      if (holder !== process.pid && holder > 0 && isAlive(holder)) {
        throw new FolderProblem(
          `${this.path} is used by process ${holder}. If that is no simulator, remove ${this.lockFile}.`
        )
      }
      rmSync(this.lockFile, { force: true })
    }
  }
}
