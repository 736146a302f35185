/**
 * Preloaded into a server: kills the process, as `kill -9` does, when it runs the statement of the given number on a SQLite file. With 0 it
 * writes how many there were when the process ends.
 */
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"

const at = Number(process.env["KILL_AT_STATEMENT"])
const require = createRequire(process.argv[1])

let statements = 0
const count = () => {
  if (++statements === at) process.kill(process.pid, "SIGKILL")
}

const counted = (prototype, names) => {
  for (const name of names) {
    const original = prototype[name]
    prototype[name] = function (...args) {
      count()
      return original.apply(this, args)
    }
  }
}

for (const driver of ["better-sqlite3", "better-sqlite3-multiple-ciphers"]) {
  const BetterSqlite3 = require(driver)
  const db = new BetterSqlite3(":memory:")
  counted(Object.getPrototypeOf(db.prepare("SELECT 1")), ["run", "get", "all", "iterate"])
  counted(BetterSqlite3.prototype, ["exec"])
  db.close()
}
if (at === 0) process.on("exit", () => writeFileSync(process.env["STATEMENTS_FILE"], String(statements)))
