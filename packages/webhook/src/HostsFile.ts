/** Looks names up in the hosts file of the system. */
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs"
import { isIP } from "node:net"
import { join } from "node:path"

/** Bytes of the file that are read at most: lists of blocked names have some megabytes, behind the entries of the machine. */
const maxFileBytes = 1024 * 1024

/** The path of this system's hosts file. */
export const systemHostsFile = (): string =>
  process.platform === "win32"
    ? join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "drivers", "etc", "hosts")
    : "/etc/hosts"

/** The whole lines within the first `maxFileBytes`. */
const beginningOf = (descriptor: number, { size }: Stats): string => {
  const bytes = Buffer.alloc(Math.min(size, maxFileBytes))
  const text = bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, 0))
  return size > maxFileBytes ? text.slice(0, text.lastIndexOf("\n") + 1) : text
}

/**
 * The addresses of each name in lower case, in the order of the file. Skips lines that begin with no address, and addresses with a zone, which the guard
 * of targets could not compare.
 */
const parse = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const line of text.replace(/^\ufeff/, "").split(/[\r\n]+/)) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0 || address.includes("%")) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = found.get(key)
      if (known === undefined) found.set(key, [address])
      else known.push(address)
    }
  }
  return found
}

const versionOf = ({ ino, mtimeMs, size }: Stats): string => `${ino} ${mtimeMs} ${size}`

/**
 * A lookup in the hosts file at `path`, which returns the addresses of a name: none where the file doesn't have the name, or can't be read. The file is
 * read again when it has changed. A lookup is synchronous: it takes some microseconds, and needs no thread of Node's pool, where others may be waiting
 * for name servers.
 */
export const hostsLookup = (path: string): ((hostname: string) => ReadonlyArray<string>) => {
  let version = ""
  let entries: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  const read = (): void => {
    const descriptor = openSync(path, "r")
    try {
      const stats = fstatSync(descriptor)
      entries = parse(beginningOf(descriptor, stats))
      version = versionOf(stats)
    } finally {
      closeSync(descriptor)
    }
  }
  return (hostname) => {
    try {
      if (versionOf(statSync(path)) !== version) read()
    } catch {
      version = ""
      entries = new Map()
    }
    return [...new Set(entries.get(hostname.toLowerCase()))]
  }
}
