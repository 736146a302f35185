/**
 * A run as one HTML page that needs nothing else: the rule that broke, with what it expected beside what it got; the commands
 * that repeat it; the counterexample; a timeline; the deliveries with their attempts; the events.
 */
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import type { RunReport } from "../Run.ts"
import { type Counterexample, livelock } from "../Counterexample.ts"
import { renderCounterexample } from "../CounterexampleText.ts"
import { type ComparedRow, comparedBy, compareTexts, partsOf } from "./Comparison.ts"
import { answerKind, clock, escaped, eventLine, laneName } from "./Markup.ts"
import { style } from "./PageStyle.ts"
import { type PlantedChange, renderPlantedChange } from "./PlantedChange.ts"
import { explanationOf } from "./RuleExplanations.ts"
import { legend, timeline } from "./Timeline.ts"

/** What the page shows. */
export interface Page {
  readonly title: string
  /** Each repeats the run or a part of it. */
  readonly commands: ReadonlyArray<{ readonly what: string; readonly command: string }>
  readonly report: RunReport
  /** The small counterexample, when there is one: then the report is of that. */
  readonly counterexample: Counterexample | null
  /** The bug that was planted into the code. */
  readonly planted: PlantedChange | null
}

/** More than a reader can tell apart on a page. */
const maxEvents = 1500
const maxDeliveries = 200
/** Equal lines that are shown before and after a difference. */
const contextLines = 3

/* Expected beside got */

const side = (own: string | null, other: string | null): string => {
  if (own === null) return `<span class="absent">(no such line)</span>`
  const [before, differs, after] = partsOf(own, other ?? "")
  if (other === null || differs === "") return escaped(own)
  return `${escaped(before)}<mark>${escaped(differs)}</mark>${escaped(after)}`
}

const comparedRow = ({ actual, expected, isEqual }: ComparedRow): string =>
  `<tr${isEqual ? "" : ' class="differs"'}><td class="expected" data-side="expected">${side(expected, actual)}</td><td class="sign">${isEqual ? "" : '<span role="img" aria-label="differs">≠</span>'}</td><td class="actual" data-side="got">${side(actual, expected)}</td></tr>`

/** The rows near a difference; a row in place of each stretch of equal ones. */
const foldedRows = (rows: ReadonlyArray<ComparedRow>): string => {
  const isNear = rows.map((_, i) =>
    rows.slice(Math.max(0, i - contextLines), i + contextLines + 1).some(({ isEqual }) => !isEqual)
  )
  const rendered: Array<string> = []
  for (let i = 0; i < rows.length;) {
    if (isNear[i]) {
      rendered.push(comparedRow(rows[i++]!))
      continue
    }
    const from = i
    while (i < rows.length && !isNear[i]) i++
    const lines = i - from === 1 ? "1 equal line" : `${i - from} equal lines`
    rendered.push(`<tr class="folded"><td colspan="3">⋯ ${lines}</td></tr>`)
  }
  return rendered.join("")
}

const comparison = (violation: Parameters<typeof comparedBy>[0]): string => {
  const compared = comparedBy(violation)
  if (compared === null) return ""
  const { actual, expected, isExcerpt } = compared
  const caption = isExcerpt
    ? "The part of the texts that differs; ≠ marks the lines that differ, and underlined is what differs in them."
    : "Both texts, JSON with one value a line; ≠ marks the lines that differ, and underlined is what differs in them."
  return `<h3>Expected beside got</h3><table class="compared"><caption>${caption}</caption><thead><tr><th scope="col">expected</th><th class="sign"></th><th scope="col">got</th></tr></thead><tbody>${foldedRows(compareTexts(expected, actual))}</tbody></table>`
}

/* Sections */

const outcomeSection = ({ outcome, ...report }: RunReport): string => {
  if (outcome === "passed") {
    return `<section class="card outcome passed"><h2>✓ Every rule held</h2><p>Nothing that this run did broke a rule.</p></section>`
  }
  const violation = report.violation ?? livelock
  const explanation = explanationOf(violation.oracle)
  return `<section class="card outcome violation"><h2>✗ Broken rule: ${escaped(violation.oracle)}</h2>${
    explanation === null ? "" : `<p><strong>The rule:</strong> ${escaped(explanation)}</p>`
  }<p class="message"><strong>What happened:</strong> ${escaped(violation.message)}</p>${comparison(violation)}</section>`
}

const commandSection = (commands: Page["commands"]): string =>
  commands.length === 0
    ? ""
    : `<section><h2>See it again</h2>${commands
        .map(
          ({ command, what }) =>
            `<h3>${escaped(what)}</h3><div class="command"><pre tabindex="0"><code>${escaped(command)}</code></pre></div>`
        )
        .join("")}</section>`

const plantedSection = (planted: PlantedChange | null): string =>
  planted === null
    ? ""
    : `<section><h2>The planted bug</h2><p>This run executed changed code, on purpose: <strong>${escaped(planted.name)}</strong>, ${escaped(planted.about)}.</p><div class="card"><pre tabindex="0">${escaped(renderPlantedChange(planted).slice(1).join("\n"))}</pre></div></section>`

const counterexampleSection = (counterexample: Counterexample | null): string =>
  counterexample === null
    ? ""
    : `<section><h2>The counterexample</h2><p>The simulator left out everything that the failure does not need. These steps remain; times count from the beginning, and <code>!</code> marks what goes wrong.</p><div class="card"><pre tabindex="0">${escaped(renderCounterexample(counterexample).join("\n"))}</pre></div></section>`

const deliverySection = (events: ReadonlyArray<TraceEvent>): string => {
  const byId = new Map<string, Array<TraceEvent>>()
  for (const event of events) {
    if (event.kind !== "post") continue
    const id = String(event.fields["id"])
    const attempts = byId.get(id) ?? []
    attempts.push(event)
    byId.set(id, attempts)
  }
  const rows = [...byId.entries()].slice(-maxDeliveries).map(([id, attempts]) => {
    const first = attempts[0]!
    const statuses = attempts.map(
      ({ at, fields }) =>
        `<li class="${answerKind(fields["status"])}">${clock(at)} ${fields["status"] ?? "no answer"}</li>`
    )
    return `<tr><td data-column="webhook">${escaped(laneName(first.party))}</td><td data-column="event">${escaped(String(first.fields["subject"]))}</td><td data-column="id" class="id">${escaped(id.slice(0, 9))}…${escaped(id.slice(-4))}</td><td data-column="attempts"><ul class="attempts">${statuses.join("")}</ul></td></tr>`
  })
  const cut = byId.size > maxDeliveries ? `<p>The last ${maxDeliveries} of ${byId.size} deliveries.</p>` : ""
  const table =
    rows.length === 0
      ? "<p>Nothing was posted.</p>"
      : `<table class="list"><thead><tr><th scope="col">webhook</th><th scope="col">event</th><th scope="col">id</th><th scope="col">attempts that arrived</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
  return `<section><h2>Deliveries</h2>${cut}${table}</section>`
}

const isHot = ({ kind, party }: TraceEvent): boolean =>
  kind === "violated" || kind === "killed" || party === "faults"

const eventSection = (events: ReadonlyArray<TraceEvent>): string =>
  `<section><h2>Events</h2><p class="find"><label for="find">Show events with this text</label><br><input id="find" type="search"> <span id="found" role="status"></span></p><ul class="events" tabindex="0" aria-label="Events">${events
    .map((event) => `<li${isHot(event) ? ' class="hot"' : ""}>${escaped(eventLine(event))}</li>`)
    .join("")}</ul></section>`

const metSection = (marks: ReadonlySet<string>): string =>
  `<section><h2>Met</h2>${
    marks.size === 0
      ? "<p>Nothing out of the ordinary.</p>"
      : `<ul class="met">${[...marks]
          .sort()
          .map((mark) => `<li>${escaped(mark)}</li>`)
          .join("")}</ul>`
  }</section>`

const script = `for(const block of document.querySelectorAll(".command")){const button=document.createElement("button");button.type="button";button.textContent="Copy";button.addEventListener("click",async()=>{const code=block.querySelector("code");try{await navigator.clipboard.writeText(code.textContent);button.textContent="Copied"}catch{getSelection().selectAllChildren(code);button.textContent="Selected"}});block.append(button)}
for(const mark of document.querySelectorAll(".violated")){const area=mark.closest(".scroll");if(area)area.scrollLeft+=mark.getBoundingClientRect().left-area.getBoundingClientRect().left-area.clientWidth/2}
const box=document.getElementById("find"),found=document.getElementById("found"),lines=[...document.querySelectorAll(".events li")];
box.addEventListener("input",()=>{const wanted=box.value.toLowerCase();let shown=0;for(const line of lines){line.hidden=!line.textContent.toLowerCase().includes(wanted);if(!line.hidden)shown++}found.textContent=shown+" of "+lines.length})`

/** The page, as text. */
export const page = ({ commands, counterexample, planted, report, title }: Page): string => {
  const { counts, coverageMarks, digest, outcome, trace } = report
  const events = trace.slice(-maxEvents)
  const cut =
    trace.length > events.length ? `<p>The last ${events.length} of ${trace.length} events.</p>` : ""
  const facts = [
    outcome,
    `${clock(counts.simulatedSeconds * 1000)} of virtual time`,
    ...(["actions", "requests", "posts", "faults", "kills"] as const).map((name) => `${counts[name]} ${name}`)
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title><style>${style}</style></head><body><main>
<header><h1>${escaped(title)}</h1><ul class="facts">${facts.map((fact) => `<li>${fact}</li>`).join("")}</ul></header>
${outcomeSection(report)}
${plantedSection(planted)}
${commandSection(commands)}
${counterexampleSection(counterexample)}
<section><h2>Timeline</h2><p>Time runs from left to right and is not to scale: near events are drawn apart, and long gaps are folded.</p>${cut}${timeline(events)}${legend()}</section>
${deliverySection(events)}
${eventSection(events)}
${metSection(coverageMarks)}
<p class="digest">digest: ${digest}</p>
</main><script>${script}</script></body></html>
`
}
