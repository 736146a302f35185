/** A text in which what was searched for is marked. A match that only Unicode's full case folding finds stays unmarked. */
const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)

const partsOf = (text: string, wanted: string): ReadonlyArray<string> =>
  wanted === "" ? [text] : text.split(new RegExp(`(${escaped(wanted)})`, "iu"))

/** Marks each occurrence of `wanted`, whatever its case. Without `wanted` the text stays as it is. */
export const Marked = ({
  text,
  wanted = ""
}: {
  readonly text: string
  readonly wanted?: string | undefined
}) => (
  <>
    {partsOf(text, wanted).map((part, i) =>
      i % 2 === 0 ? (
        part
      ) : (
        <mark key={i} className="bg-warn-soft rounded-xs text-inherit">
          {part}
        </mark>
      )
    )}
  </>
)
