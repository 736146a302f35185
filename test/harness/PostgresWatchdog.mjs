/**
 * Ends the Postgres server of a folder, and removes the folder, when the process that it watches is gone. Started as
 * `node PostgresWatchdog.mjs FOLDER PID`; it ends by itself when the folder is removed before.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"

const [folder, pid] = process.argv.slice(2)

/** Whether the process exists, and has got the signal. */
const signal = (id, name) => {
  try {
    process.kill(id, name)
    return true
  } catch {
    return false
  }
}

/** The process id of the server; null when none runs. */
const postmaster = () => {
  try {
    return Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0])
  } catch {
    return null
  }
}

let server = null

setInterval(() => {
  if (!existsSync(folder)) process.exit()
  if (signal(Number(pid), 0)) return
  server ??= postmaster()
  // SIGQUIT is an immediate shutdown: the server ends its children, too.
  if (server !== null && signal(server, "SIGQUIT")) return
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}, 250)
