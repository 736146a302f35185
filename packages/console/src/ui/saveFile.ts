/** Files that the page writes. */

/** A file that grows. */
export interface GrowingFile {
  readonly write: (text: string) => Promise<void>
  /** Ends the file and keeps it. */
  readonly close: () => Promise<void>
  /** Keeps nothing of it: a file that was chosen stays as it was, empty where the browser has made it for the choice. */
  readonly abort: () => Promise<void>
}

interface FilePicker {
  readonly showSaveFilePicker: (options: { readonly suggestedName: string }) => Promise<{
    readonly createWritable: () => Promise<WritableStream<string>>
  }>
}

const isFilePicker = (page: object): page is FilePicker => "showSaveFilePicker" in page

const download = (name: string, blob: Blob): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** What a file of this media type begins with: spreadsheets read CSV as UTF-8 only behind a byte order mark. */
const markOf = (type: string): string => (type === "text/csv" ? "\uFEFF" : "")

const partLength = 1024 * 1024

/** Parts are blobs, which a browser can keep on its disk. */
const inParts = (name: string, type: string): GrowingFile => {
  const parts: Array<Blob> = []
  let text = ""
  const cut = () => {
    parts.push(new Blob([text]))
    text = ""
  }
  return {
    write: async (more) => {
      text += more
      if (text.length > partLength) cut()
    },
    close: async () => {
      cut()
      download(name, new Blob(parts, { type }))
    },
    abort: async () => undefined
  }
}

const toDisk = async (name: string, picker: FilePicker): Promise<GrowingFile> => {
  const file = await picker.showSaveFilePicker({ suggestedName: name })
  const writer = (await file.createWritable()).getWriter()
  return {
    write: (text) => writer.write(text),
    close: () => writer.close(),
    abort: () => writer.abort()
  }
}

/**
 * A file that is written to the disk as it grows, where the browser can, and is downloaded at its end elsewhere. CSV begins with a byte order
 * mark. Null: the user chose no place for it. Has to be called while the browser handles a click.
 */
export const growingFile = async (name: string, type: string): Promise<GrowingFile | null> => {
  try {
    const file = isFilePicker(window) ? await toDisk(name, window) : inParts(name, type)
    await file.write(markOf(type))
    return file
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") return null
    throw failure
  }
}

/** Downloads a text that fits memory; `type` is its media type. CSV begins with a byte order mark. */
export const saveText = (name: string, type: string, text: string): void =>
  download(name, new Blob([markOf(type), text], { type }))
