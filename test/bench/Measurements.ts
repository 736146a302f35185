/** Measurements beside the shapes, each with arguments of its own: `npm run bench -- NAME`. */
export interface Measurement {
  readonly name: string
  /** The module beside this one that measures when it is imported. */
  readonly module: string
  readonly usage: string
  readonly about: string
}

/** As `--help` lists them. A module is loaded when its measurement runs. */
export const measurements: ReadonlyArray<Measurement> = [
  {
    name: "drawn",
    module: "drawn.ts",
    usage: "[--leads 1000000] [--shape NAME,…] [--seconds 5] [--rounds 3]",
    about: "rates, waits and processor time of requests over HTTP that differ each time, round by round"
  },
  {
    name: "request-parts",
    module: "requestParts.ts",
    usage: "[--leads 10000] [--shape first-page,detail,random-detail] [--seconds 2] [--rounds 5]",
    about:
      "processor time of a request beside the reference, a floor and bare node:http, and what of it each part of the server takes"
  },
  {
    name: "imports",
    module: "imports.ts",
    usage: "[--lines 50000] [--kind people|life] [--rounds 1] [--reads 20] [PROGRAM…]",
    about: "processor time of a line that `lead-signals import` sends, and of reads meanwhile"
  },
  {
    name: "lead-lists",
    module: "leadLists.ts",
    usage: "[--leads 1000000] [--every 1] [--bound 60] [--program FILE] [--file FILE]",
    about:
      "processor time of the server for the lists that the console asks for: texts by letters, filters, orders and pages"
  },
  {
    name: "encryption",
    module: "encryption.ts",
    usage: "[LEADS]",
    about: "processor time of writes and reads over a plain SQLite file and an encrypted one"
  },
  {
    name: "retention",
    module: "retention.ts",
    usage: "[SCALE] [URL]",
    about:
      "the size of a SQLite file, or of databases on the server of the URL, over a year of virtual time, under no, the default and a full retention"
  },
  {
    name: "postgres-reads",
    module: "PostgresReads.ts",
    usage: "URL LEADS [PATTERN]",
    about:
      "milliseconds of each shape of a list in Postgres itself; fills the empty database of the URL first"
  },
  {
    name: "lock-mutants",
    module: "lockMutants.ts",
    usage: "[--thorough] [PATTERN]",
    about:
      "which test notices that a lock of the store on Postgres is gone, weaker, or taken in another order"
  },
  {
    name: "sealing",
    module: "postgres/Sealing.ts",
    usage: "[PEOPLE] [ROUNDS]",
    about: "processor time of a node and of Postgres without and with an encryption key"
  }
]
