/**
 * A run as one page that needs nothing else: a timeline with a lane for each party, requests as bars, posts and commits as
 * coverage marks, faults and kills in red, the step at which a rule broke marked; the deliveries with their attempts; the events.
 */
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import type { RunReport } from "../Run.ts"
import { shownTime, type Counterexample, livelock, renderCounterexample } from "../Counterexample.ts"

export interface Page {
  readonly title: string
  readonly repeat: string
  readonly report: RunReport
  /** The small counterexample, when there is one: then the report is of that. */
  readonly counterexample: Counterexample | null
}

const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]!
  )

/** More than a reader can distinguish on a page. */
const greatestEvents = 1500

const laneHeight = 26
const namesWidth = 190
const top = 44

/** Room for a time between two events: a second takes a third more than a tenth of it, so that nights are folded. */
const pixelsOf = (millis: number): number => 7 * Math.log10(1 + millis)

const positions = (events: ReadonlyArray<TraceEvent>): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  let [x, last] = [24, events[0]?.at ?? 0]
  for (const { at } of events) {
    if (at > last) {
      x += pixelsOf(at - last)
      last = at
    }
    found.set(at, x)
  }
  return found
}

const rank = (party: string): number => {
  const order = [
    "people",
    "sync",
    "reader",
    "keys",
    "operator",
    "service",
    "store",
    "webhook",
    "network",
    "faults",
    "oracle"
  ]
  const at = order.findIndex((name) => party.startsWith(name))
  return at < 0 ? order.length : at
}

const laneName = (party: string): string =>
  party.replace(/^webhook https:\/\//, "→ ").replace(/\.example\/hook$/, "")

const detail = ({ at, fields, kind, party }: TraceEvent): string =>
  `${shownTime(at)} ${laneName(party)}: ${kind} ${Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")}`

const statusClass = (status: unknown): string => {
  if (typeof status !== "number") return "none"
  return status < 300 ? "good" : status < 500 ? "refused" : "bad"
}

const timeline = (events: ReadonlyArray<TraceEvent>): string => {
  const x = positions(events)
  const lanes = [...new Set(events.map(({ party }) => party))].sort(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)
  )
  const y = new Map(lanes.map((party, i) => [party, top + i * laneHeight + laneHeight / 2]))
  const width = Math.max(...x.values(), 860) + 80
  const height = top + lanes.length * laneHeight + 16
  const shapes: Array<string> = []
  const put = (shape: string, event: TraceEvent, kind: string): void => {
    shapes.push(`<g class="${kind}"><title>${escaped(detail(event))}</title>${shape}</g>`)
  }
  const open = new Map<string, TraceEvent>()
  let killedAt: number | null = null
  for (const event of events) {
    const { at, fields, kind } = event
    const [cx, cy] = [x.get(at)!, y.get(event.party)!]
    switch (kind) {
      case "request":
        open.set(String(fields["call"]), event)
        break
      case "answered":
      case "no-answer": {
        const asked = open.get(String(fields["call"]))
        const from = asked === undefined ? cx : x.get(asked.at)!
        const arrives = kind === "answered" && fields["arrives"] === true
        const what = `${String(asked?.fields["method"] ?? "")} ${String(asked?.fields["path"] ?? "")}`
        const shown: TraceEvent = { ...event, fields: { ...fields, what } }
        put(
          `<rect x="${from.toFixed(1)}" y="${cy - 5}" width="${Math.max(3, cx - from).toFixed(1)}" height="10" rx="3"/>`,
          shown,
          `request ${kind === "answered" ? statusClass(fields["status"]) : "none"}${arrives ? "" : " lost"}`
        )
        break
      }
      case "post":
        put(
          `<circle cx="${cx.toFixed(1)}" cy="${cy}" r="4.5"/>`,
          event,
          `post ${statusClass(fields["status"])}`
        )
        break
      case "commit":
        put(`<rect x="${(cx - 1).toFixed(1)}" y="${cy - 8}" width="2.5" height="16"/>`, event, "commit")
        break
      case "killed":
        killedAt = cx
        put(`<path d="M${cx} ${top - 6}V${height - 10}"/>`, event, "kill")
        break
      case "started":
        if (killedAt !== null) {
          put(
            `<rect x="${killedAt.toFixed(1)}" y="${top}" width="${(cx - killedAt).toFixed(1)}" height="${height - top - 14}"/>`,
            event,
            "down"
          )
        }
        killedAt = null
        break
      case "violated":
        put(
          `<path d="M${cx} ${top - 12}V${height - 8}"/><path d="M${cx - 7} ${top - 22}h14l-7 11z"/>`,
          event,
          "violated"
        )
        break
      case "acts":
        put(`<rect x="${(cx - 2).toFixed(1)}" y="${cy - 9}" width="4" height="4" rx="1"/>`, event, "acts")
        break
      default:
        put(`<path d="M${cx} ${cy - 6}l6 11h-12z"/>`, event, "fault")
    }
  }
  const ticks: Array<string> = []
  let lastTick = -Infinity
  for (const [at, px] of x) {
    if (px - lastTick < 110) continue
    lastTick = px
    ticks.push(
      `<path class="tick" d="M${px.toFixed(1)} ${top - 6}V${height - 10}"/><text class="tick" x="${px.toFixed(1)}" y="${top - 12}">${shownTime(at).replace(/\.\d+$/, "")}</text>`
    )
  }
  const rows = lanes
    .map(
      (_, i) =>
        `<rect class="lane${i % 2}" x="0" y="${top + i * laneHeight}" width="${width}" height="${laneHeight}"/>`
    )
    .join("")
  const names = lanes
    .map((party) => `<text class="name" x="12" y="${y.get(party)! + 4}">${escaped(laneName(party))}</text>`)
    .join("")
  return `<div class="timeline"><svg class="names" width="${namesWidth}" height="${height}">${rows}${names}</svg><div class="scroll"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Timeline of the run">${rows}${ticks.join("")}${shapes.join("")}</svg></div></div>`
}

const deliveries = (events: ReadonlyArray<TraceEvent>): string => {
  const byId = new Map<string, Array<TraceEvent>>()
  for (const event of events) {
    if (event.kind !== "post") continue
    const id = String(event.fields["id"])
    byId.set(id, [...(byId.get(id) ?? []), event])
  }
  const rows = [...byId.entries()].slice(-200).map(([id, attempts]) => {
    const first = attempts[0]!
    const chips = attempts
      .map(
        ({ at, fields }) =>
          `<span class="chip ${statusClass(fields["status"])}">${shownTime(at).replace(/\.\d+$/, "")} ${fields["status"] ?? "no answer"}</span>`
      )
      .join(" ")
    return `<tr><td>${escaped(laneName(first.party))}</td><td>${escaped(String(first.fields["subject"]))}</td><td class="id">${escaped(id.slice(0, 11))}…</td><td>${chips}</td></tr>`
  })
  return rows.length === 0
    ? "<p>Nothing was posted.</p>"
    : `<table><thead><tr><th>webhook</th><th>event</th><th>id</th><th>attempts that arrived</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
}

const style = `
:root{color-scheme:light dark;--back:#fbfaf7;--ink:#22252b;--soft:#6d7178;--line:#e4e1d8;--alt:#f3f1ea;--good:#2d7d62;--refused:#b07d1e;--bad:#b8433a;--none:#8d8f95;--commit:#3c5fae;--fault:#c2362b;--card:#fff}
@media(prefers-color-scheme:dark){:root{--back:#17191d;--ink:#e6e4de;--soft:#9a9da3;--line:#2c3036;--alt:#1d2025;--good:#5cb896;--refused:#d9a84e;--bad:#e4766d;--none:#74777d;--commit:#86a4ea;--fault:#ee6a5f;--card:#1e2126}}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1280px;margin:0 auto;padding:28px 24px 60px}h1{font-size:22px;margin:0 0 2px}h2{font-size:16px;margin:30px 0 10px}
.facts{color:var(--soft)}code,pre,.id,.digest{font-family:ui-monospace,monospace;font-size:13px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px;margin:16px 0}
.violation{border-left:5px solid var(--fault)}.passed{border-left:5px solid var(--good)}
pre{margin:0;white-space:pre-wrap;word-break:break-word}.timeline{display:flex;border:1px solid var(--line);border-radius:8px;background:var(--card);overflow:hidden}.names{flex:none;border-right:1px solid var(--line)}.scroll{overflow-x:auto}
svg{display:block}.lane0{fill:transparent}.lane1{fill:var(--alt)}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg text.tick{fill:var(--soft);font-size:11px}
path.tick{stroke:var(--line);fill:none}.name{font-weight:600}.request.good,.post.good{fill:var(--good)}.request.refused,.post.refused{fill:var(--refused)}.request.bad,.post.bad{fill:var(--bad)}.request.none,.post.none{fill:var(--none)}
.request{opacity:.85}.request.lost rect{fill-opacity:.25;stroke:var(--fault);stroke-dasharray:3 2}.commit{fill:var(--commit)}.acts{fill:var(--soft)}.fault{fill:var(--fault)}
.kill path{stroke:var(--fault);stroke-width:1.5;fill:none}.down{fill:var(--fault);opacity:.08}.violated path{stroke:var(--fault);stroke-width:2.5;fill:var(--fault)}
table{border-collapse:collapse;width:100%;font-size:13.5px}th{text-align:left;color:var(--soft);font-weight:600}th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
.chip{display:inline-block;border-radius:9px;padding:0 8px;margin:0 2px 3px 0;color:#fff;font-size:12px;white-space:nowrap}.chip.good{background:#2d7d62}.chip.refused{background:#996a13}.chip.bad{background:#b8433a}.chip.none{background:#6b6d73}
.legend span{margin-right:16px;color:var(--soft);font-size:13px}.legend i{display:inline-block;width:12px;height:10px;border-radius:3px;margin-right:5px}
input{font:inherit;padding:6px 10px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:inherit;width:min(380px,100%)}
#events{max-height:420px;overflow:auto;border:1px solid var(--line);border-radius:8px;padding:8px 12px;background:var(--card);margin-top:8px}#events div{font:12.5px/1.55 ui-monospace,monospace}#events .hot{color:var(--fault);font-weight:600}`

const script = `const box=document.getElementById("find"),lines=[...document.querySelectorAll("#events div")];
box.addEventListener("input",()=>{const wanted=box.value.toLowerCase();for(const line of lines)line.hidden=!line.textContent.toLowerCase().includes(wanted)})`

export const page = ({ repeat, report, counterexample, title }: Page): string => {
  const { counts, digest, coverageMarks, outcome, trace } = report
  const violation = outcome === "passed" ? null : (report.violation ?? livelock)
  const events = trace.slice(-greatestEvents)
  const cut =
    trace.length > events.length
      ? `<p class="facts">The last ${events.length} of ${trace.length} events.</p>`
      : ""
  const legend = [
    ["--good", "answered, taken"],
    ["--refused", "refused"],
    ["--bad", "5xx"],
    ["--none", "no answer"],
    ["--commit", "commit"],
    ["--fault", "faults; dashed: the answer never arrived"]
  ]
    .map(([color, text]) => `<span><i style="background:var(${color})"></i>${text}</span>`)
    .join("")
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title><style>${style}</style></head><body><main>
<h1>${escaped(title)}</h1>
<p class="facts">${outcome} · ${shownTime(counts.simulatedSeconds * 1000).replace(/\.\d+$/, "")} h of virtual time · ${counts.actions} actions · ${counts.requests} requests · ${counts.posts} posts · ${counts.faults} faults · ${counts.kills} kills</p>
<div class="card ${violation === null ? "passed" : "violation"}">${
    violation === null
      ? "Every rule passed."
      : `<strong>${escaped(violation.oracle)}</strong>: ${escaped(violation.message)}`
  }</div>
<div class="card"><pre>${escaped(repeat)}</pre></div>
${counterexample === null ? "" : `<h2>The counterexample</h2><div class="card"><pre>${escaped(renderCounterexample(counterexample).join("\n"))}</pre></div>`}
<h2>Timeline</h2><p class="legend">${legend}</p>${cut}${timeline(events)}
<h2>Deliveries</h2>${deliveries(events)}
<h2>Events</h2><input id="find" type="search" placeholder="show events with this text" aria-label="Show events with this text">
<div id="events">${events
    .map(
      (event) =>
        `<div${event.kind === "violated" || event.party === "faults" || event.kind === "killed" ? ' class="hot"' : ""}>${escaped(detail(event))}</div>`
    )
    .join("")}</div>
<h2>Met</h2><p>${coverageMarks.size === 0 ? "Nothing out of the ordinary." : escaped([...coverageMarks].sort().join(", "))}</p>
<p class="digest">digest: ${digest}</p>
<script>${script}</script></main></body></html>
`
}
