/** Bugs that only show in forms of inputs that are seldom sent. */
import { type Bug, bugsIn } from "./Bug.ts"

const timestamp = bugsIn("domain", "Timestamp")

/** In the parsers of `domain` and `http`, which probes reach. */
export const inVocabulary: ReadonlyArray<Bug> = [
  timestamp("date-alone-at-noon", "a date alone is read as its noon", {
    in: "parse",
    given: ["const $match = grammar.exec($text)"],
    find: "startOfDay($year, $month, $day) + $timeOfDay - $offset",
    put: "startOfDay($year, $month, $day) + ($text.length === 10 ? 43_200_000 : 0) + $timeOfDay - $offset"
  }),
  timestamp("west-of-utc-is-utc", "an offset west of UTC is not counted", {
    in: "parse",
    find: '$sign === "-" ? -1 : 1',
    put: '$sign === "-" ? 0 : 1'
  }),
  timestamp("hour-24-taken", "hour 24 is taken for midnight", {
    in: "parse",
    find: "$hour > 23 || $minute > 59 || $second > 59",
    put: "$hour > 24 || $minute > 59 || $second > 59"
  }),
  timestamp("offset-of-a-day", "an offset of 24 hours is accepted", {
    in: "parse",
    find: 'if ($hours > 23 || $minutes > 59) return $refused("an offset lies within 23:59 of UTC")',
    put: 'if ($hours > 24 || $minutes > 59) return $refused("an offset lies within 23:59 of UTC")'
  }),
  timestamp("whole-hours-only", "the minutes of an offset are not counted", {
    in: "parse",
    find: "($hours * 60 + $minutes) * 60_000 * $sign",
    put: "$hours * 60 * 60_000 * $sign"
  }),
  timestamp("leap-years-of-centuries", "29 February 1900 is a day", {
    in: "parse",
    find: "!isDay($year, $month, $day)",
    put: "!isDay($year, $month, $day) && !($year % 100 === 0 && $month === 2 && $day === 29)"
  }),
  bugsIn("http", "Target")(
    "value-cut-at-equals-sign",
    "the value of a parameter ends at its first equals sign",
    {
      in: "parameters",
      find: "decode($pair.slice($end + 1))",
      put: 'decode($pair.slice($end + 1).split("=", 1)[0])'
    }
  ),
  bugsIn("domain", "Text")("length-in-utf16", "a text beyond the BMP may be half as long", {
    in: "isWithin",
    given: ["let $characters = 0"],
    find: "$characters <= $most",
    put: "$characters <= $most / 2"
  }),
  bugsIn("domain", "LeadQueries")("search-cut", "a search beyond the BMP is cut within a surrogate pair", {
    in: "search",
    find: "$fold($value) || undefined",
    put: "$fold(Array.from($value).length < $value.length ? $value.slice(0, -1) : $value) || undefined"
  }),
  bugsIn("store-memory", "LeadCommits")(
    "signal-of-anyone",
    "an observation may name another brand's signal",
    {
      in: "LeadCommits.stateFor",
      find: "$memory.signals.get($proposal.signalId)?.brandId === $brandId",
      put: "$memory.signals.get($proposal.signalId) !== undefined"
    }
  ),
  bugsIn("store-memory", "LeadCommits")(
    "deleted-signal-catches",
    "an observation may name a deleted signal",
    { in: "LeadCommits.stateFor", find: "!$memory.deletedSignals.has($proposal.signalId)", put: "true" }
  ),
  bugsIn("domain", "Parameters")("no-leading-zeros", "an integer with leading zeros is refused", {
    in: "readInteger",
    find: "/^[0-9]+$/",
    put: "/^[1-9][0-9]*$/"
  }),
  bugsIn("webhook", "RetryAfter")("http-date-ignored", "a Retry-After that is a date is not understood", {
    in: "parseSeconds",
    find: "parseDate($text, $now)",
    put: "null"
  }),
  bugsIn("webhook", "RetryAfter")(
    "http-date-of-today",
    "a Retry-After that is a date far away counts as past",
    {
      in: "parseSeconds",
      find: "Math.ceil(($at - $now) / 1000)",
      put: "Math.ceil((($at - $now) % 86_400_000) / 1000)"
    }
  ),
  bugsIn("http", "Authentication")(
    "scheme-in-its-case",
    "the scheme of Authorization is matched by its case",
    {
      in: "bearerToken",
      find: "/^bearer +([^\\s]+) *$/i",
      put: "/^Bearer +([^\\s]+) *$/"
    }
  ),
  bugsIn("http", "App")("router-in-lower-case", "a path is searched in lower case, which can be longer", {
    in: "service",
    find: "caseSensitive: true",
    put: "caseSensitive: false"
  }),
  bugsIn("webhook", "ReceivedText")(
    "control-characters-compared",
    "an excerpt is compared with its control characters, which an echo has escaped",
    {
      in: "collapseSpaces",
      find: '$text.replace(/[^\\P{Cc}\\s]/gu, "").replace(/\\s+/g, " ")',
      put: '$text.replace(/\\s+/g, " ")'
    }
  )
]
