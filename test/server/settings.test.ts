/** What a start says of a variable that it can't take. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { readSettings } from "@lead-signals/server/internal"

describe("a start", () => {
  it.each([
    ["PORT", "x", "PORT takes an integer from 0 to 65535."],
    ["PORT", "70000", "PORT takes an integer from 0 to 65535."],
    ["HOST", " ", "HOST takes a host name or an address to listen on."],
    ["LEAD_SIGNALS_DEMO", "yes", "LEAD_SIGNALS_DEMO takes true or false."],
    ["LEAD_SIGNALS_OPERATOR_TOKEN", "short", "LEAD_SIGNALS_OPERATOR_TOKEN takes at least 16 characters"],
    ["LEAD_SIGNALS_RATE_LIMIT", "0", "LEAD_SIGNALS_RATE_LIMIT takes an integer from 1 to 1000000."],
    ["LEAD_SIGNALS_MAX_CONNECTIONS", "0", "LEAD_SIGNALS_MAX_CONNECTIONS takes an integer from 1 to 1000000."],
    ["LEAD_SIGNALS_SEARCH_MEMORY", "-1", "LEAD_SIGNALS_SEARCH_MEMORY takes an integer from 0 to 65536."],
    [
      "LEAD_SIGNALS_POSTGRES_POOLER",
      "statement",
      "LEAD_SIGNALS_POSTGRES_POOLER takes session, transaction or transaction-prepared."
    ],
    [
      "LEAD_SIGNALS_POSTGRES_POOLER",
      "constructor",
      "LEAD_SIGNALS_POSTGRES_POOLER takes session, transaction or transaction-prepared."
    ],
    ["LEAD_SIGNALS_LOG", "loud", "LEAD_SIGNALS_LOG takes pretty or json."],
    ["LEAD_SIGNALS_DRAIN_PAUSE", "601", "LEAD_SIGNALS_DRAIN_PAUSE takes seconds from 0 to 600, like 0.5."],
    [
      "LEAD_SIGNALS_DATABASE",
      " ",
      "LEAD_SIGNALS_DATABASE takes the path of a SQLite file, memory, or a URL like postgres://"
    ],
    [
      "LEAD_SIGNALS_DATABASE",
      '"postgres://leads:hidden@db/leads"',
      "LEAD_SIGNALS_DATABASE takes the path of a SQLite file, memory, or a URL like postgres://"
    ],
    [
      "LEAD_SIGNALS_DATABASE",
      " postgres://leads:hidden@db/leads",
      "LEAD_SIGNALS_DATABASE takes the path of a SQLite file, memory, or a URL like postgres://"
    ],
    [
      "LEAD_SIGNALS_DATABASE",
      "mysql://leads:hidden@db/leads",
      "LEAD_SIGNALS_DATABASE takes the path of a SQLite file, memory, or a URL like postgres://"
    ],
    [
      "LEAD_SIGNALS_DATABASE",
      "leads.sqlite\r",
      "without control characters, such as a carriage return at its end."
    ],
    [
      "LEAD_SIGNALS_PUBLIC_URL",
      "https://leads:hidden@leads.example.com",
      "LEAD_SIGNALS_PUBLIC_URL takes an absolute http or https URL without user, query and fragment"
    ]
  ])("is refused with one line when %s is %j [RUN-1]", (name, value, message) => {
    const refused = Either.flip(readSettings({ [name]: value })).pipe(Either.getOrNull)
    expect(refused?.split("\n")).toEqual([expect.stringContaining(message)])
    if (name.endsWith("TOKEN")) expect(refused).not.toContain(value)
    expect(refused).not.toContain("hidden")
  })
})
