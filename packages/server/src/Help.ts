/** The environment variables as `--help` lists them: name, what it takes, default. */
export const variables: ReadonlyArray<readonly [name: string, takes: string, otherwise: string]> = [
  ["HOST", "address to listen on", "127.0.0.1"],
  ["PORT", "port to listen on, 0 picks a free one", "4000"],
  ["LEAD_SIGNALS_DATABASE", "path of the SQLite file, or memory", ".data/lead-signals.sqlite"],
  ["LEAD_SIGNALS_DEMO", "true fills an empty database with a demo", "true"],
  ["LEAD_SIGNALS_OPERATOR_TOKEN", "opens /operator; at least 16 characters", "made and printed"],
  ["LEAD_SIGNALS_RATE_LIMIT", "default requests a minute per key", "60"],
  ["LEAD_SIGNALS_WEBHOOK_ALLOW", "CIDRs webhooks may reach though private", "none"],
  ["LEAD_SIGNALS_WEBHOOK_RETRY", "seconds from each failed attempt to the next", "5,300,1800,7200,…"],
  ["LEAD_SIGNALS_DRAIN_PAUSE", "seconds from being unready until the port is closed", "0.5"],
  ["LEAD_SIGNALS_LOG", "pretty or json", "pretty on a terminal"]
]
