/** Rare situations: those that the run has met so far are lit, and those that its scenario is after are not yet. */
import { Icon } from "../ui/Icon.tsx"
import type { Run } from "./Simulation.ts"

/** `count`: how many events the playback has shown. */
export const Coverage = ({ count, run: { marks, of } }: { readonly run: Run; readonly count: number }) => {
  const lit = new Set(marks.filter(([events]) => events <= count).map(([, mark]) => mark))
  const all = [...new Set([...of.coverageMarks, ...marks.map(([, mark]) => mark)])].sort()
  return (
    <section aria-label="Coverage marks" className="border-line border-t px-4 py-3">
      <h2 className="text-sm font-semibold">
        Coverage marks: {lit.size} of {all.length}
      </h2>
      <p className="text-muted mb-2 text-xs">
        Rare situations. A run proves something about those alone that it has met.
      </p>
      <ul className="flex flex-wrap gap-1.5">
        {all.map((mark) => (
          <li
            key={mark}
            data-lit={lit.has(mark)}
            className="bg-sunken text-muted data-[lit=true]:bg-accent-soft data-[lit=true]:text-accent inline-flex items-center gap-1 rounded px-1.5 text-2xs leading-5 transition-colors"
          >
            {lit.has(mark) ? <Icon name="check" className="size-3" /> : null}
            {mark}
            <span className="sr-only">{lit.has(mark) ? " (met)" : " (not yet)"}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
