/** What a planted bug changes in the code. */
import type { OfferedBug } from "@lead-signals/simulations/browser"

const outdented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const full = lines.filter((line) => line.trim() !== "")
  const indentation = Math.min(...full.map((line) => line.length - line.trimStart().length))
  return full.map((line) => line.slice(indentation))
}

/** The changed lines before and after, with the file and line of the source, closed at first. */
export const PlantedChange = ({ bug: { changes, file } }: { readonly bug: OfferedBug }) => (
  <details className="text-sm">
    <summary className="text-accent touch:py-3 cursor-pointer">The planted bug</summary>
    <pre tabIndex={0} className="bg-sunken mt-2 overflow-x-auto rounded-md p-2 font-mono text-xs">
      {changes
        .flatMap(({ added, line, removed }) => [
          `${file}:${line}`,
          ...outdented(removed).map((each) => `- ${each}`),
          ...outdented(added).map((each) => `+ ${each}`)
        ])
        .join("\n")}
    </pre>
  </details>
)
