/** What an event says, and times of a run, in words. */
import type { RenderedEvent } from "@lead-signals/simulations/browser"

const part = (n: number): string => String(n).padStart(2, "0")

/** Virtual time since the run began: hours, minutes, seconds. */
export const clockText = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  return `${Math.floor(seconds / 3600)}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}`
}

/** To the millisecond of virtual time. */
export const exactClockText = (millis: number): string =>
  `${clockText(millis)}.${String(Math.floor(millis) % 1000).padStart(3, "0")}`

/** A length of time in its largest unit. */
export const lengthText = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`
}

type Fields = RenderedEvent["fields"]

const texts: Readonly<Record<string, (fields: Fields) => string>> = {
  request: ({ method, path }) => `sends ${method} ${path}`,
  answered: ({ arrives, call, status }) =>
    `is answered ${status}${arrives === true ? "" : ", which is lost on the way"} (${call})`,
  "no-answer": ({ call }) => `gets no answer (${call})`,
  acts: ({ n, what }) => `begins action ${n}: ${what}`,
  post: ({ status, subject }) => `gets ${subject}, ${status === null ? "no answer" : `answers ${status}`}`,
  commit: ({ method }) => `commits ${method}`,
  fault: ({ label }) => String(label),
  killed: () => "is killed",
  started: () => "starts",
  paused: ({ millis }) => `stands still for ${lengthText(Number(millis))}`,
  clock: ({ millis }) => `its clock jumps by ${Number(millis) / 1000} s`,
  drift: ({ millionths }) => `its clock drifts by ${millionths} millionths`,
  partition: ({ millis }) => `is cut for ${lengthText(Number(millis))}`,
  "store-cut": ({ millis }) => `can't reach the store for ${lengthText(Number(millis))}`,
  "receivers-cut": ({ millis }) => `can't reach receivers for ${lengthText(Number(millis))}`,
  "power-lost": () => "loses power",
  failover: ({ lost, millis }) =>
    `fails over in ${lengthText(Number(millis))}${lost === "" ? "" : `, and loses ${lost}`}`,
  violated: ({ message, oracle }) => `rule broken: ${oracle}. ${message}`
}

/** What the party of the event does, or what goes wrong with it. */
export const eventText = ({ fields, kind }: Pick<RenderedEvent, "fields" | "kind">): string =>
  texts[kind]?.(fields) ??
  `${kind} ${Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")}`

const calm = new Set(["request", "answered", "acts", "post", "commit", "started"])

/** Whether something goes wrong with it. */
export const isProblem = ({ fields, kind }: Pick<RenderedEvent, "fields" | "kind">): boolean =>
  !calm.has(kind) || (typeof fields["status"] === "number" && fields["status"] >= 500)
