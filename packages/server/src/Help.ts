/** What `--help` prints. */
export const help = `Lead Signals: serves the API on a SQLite file, or in memory.

  npm start

Variables
  HOST                         address to listen on                        127.0.0.1
  PORT                         port to listen on, 0 picks a free one       4000
  LEAD_SIGNALS_DATABASE        path of the SQLite file, or memory          .data/lead-signals.sqlite
  LEAD_SIGNALS_DEMO            true fills an empty database with a demo    true
  LEAD_SIGNALS_OPERATOR_TOKEN  opens /operator; at least 16 characters     made and printed
  LEAD_SIGNALS_RATE_LIMIT      default requests a minute per key           60
  LEAD_SIGNALS_WEBHOOK_ALLOW   CIDRs that webhooks may reach although      none
                               private, also over plain http
  LEAD_SIGNALS_WEBHOOK_RETRY   seconds from each failed attempt to the     5,300,1800,7200,18000,
                               next, for trials                            36000,50400,72000,86400
  LEAD_SIGNALS_LOG             pretty or json                              pretty on a terminal

Commands, each with --help of its own; without one it serves
  serve, import, brands, keys, webhooks, listen, backup, check, simulate

SIGTERM and SIGINT stop it cleanly: requests and deliveries in flight have 10 s to finish.
Exit codes: 0 stopped, 2 a bad variable, or the port or the database can't be used.
`
