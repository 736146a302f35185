/**
 * The README of a packed package. An installed package has neither the pages nor the other packages beside it, so links to them become
 * names: of the page in a clone, or of the package.
 */
import { gunzipSync, gzipSync } from "node:zlib"

export const withoutRelativeLinks = (text) =>
  text.replace(/\[([^\]]+)\]\((\.\.?\/[^)]*)\)/g, (_, words, target) => {
    const page = /docs\/[\w-]+\.md/.exec(target)
    return page === null ? words : `${words} (\`${page[0]}\` in a clone)`
  })

const blockLength = 512
const paddedLength = (length) => Math.ceil(length / blockLength) * blockLength

/** The header of a tar entry, with another size and the checksum that follows from it. */
const withSize = (header, size) => {
  const changed = Buffer.from(header)
  changed.write(`${size.toString(8).padStart(11, "0")} `, 124, "latin1")
  changed.fill(" ", 148, 156)
  const checksum = changed.reduce((sum, byte) => sum + byte, 0)
  changed.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return changed
}

/** The bytes of the .tgz with its `package/README.md` rewritten; everything else keeps its bytes. */
export const withPackedReadme = (tgz) => {
  const tar = gunzipSync(tgz)
  const parts = []
  for (let at = 0; at < tar.length;) {
    const header = tar.subarray(at, at + blockLength)
    const size = Number.parseInt(header.toString("latin1", 124, 136), 8) || 0
    const begin = at + blockLength
    const end = begin + paddedLength(size)
    if (header.toString("latin1", 0, 100).replace(/\0.*$/s, "") === "package/README.md") {
      const text = Buffer.from(withoutRelativeLinks(tar.toString("utf8", begin, begin + size)))
      parts.push(withSize(header, text.length), text, Buffer.alloc(paddedLength(text.length) - text.length))
    } else parts.push(tar.subarray(at, end))
    at = end
  }
  return gzipSync(Buffer.concat(parts), { level: 9 })
}
