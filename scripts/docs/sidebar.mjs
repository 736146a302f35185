/** Where each page stands in the sidebar. Every page of `docs` has a place here; the build fails on one that has none. */

/** Pages by group, by their paths in the repository, each with its title in the sidebar. */
export const groups = [
  ["Start", [["docs/getting-started.md", "Getting started"]]],
  [
    "Use",
    [
      ["docs/http-api.md", "HTTP API"],
      ["docs/webhooks.md", "Webhooks"],
      ["docs/client.md", "TypeScript client"],
      ["docs/mcp.md", "Assistants (MCP)"],
      ["docs/embedding.md", "Embed it"]
    ]
  ],
  [
    "Operate",
    [
      ["docs/operator-api.md", "Operator API"],
      ["docs/console.md", "Console"],
      ["docs/command-line.md", "Command line"],
      ["docs/operations.md", "Operations"],
      ["docs/scale.md", "Scale"],
      ["docs/postgres.md", "Postgres"]
    ]
  ],
  [
    "Test",
    [
      ["docs/simulator.md", "Simulator"],
      ["docs/simulate-your-own.md", "Simulate your own"],
      ["simulations/BUGS.md", "Planted bugs"],
      ["simulations/ORDERING.md", "Ordered delivery in simulation"]
    ]
  ],
  [
    "Understand",
    [
      ["docs/architecture.md", "Architecture"],
      ["docs/data-model.md", "Data model"],
      ["docs/postgres.md", "Leads on Postgres"],
      ["docs/performance.md", "Performance"],
      ["test/bench/RESULTS.md", "Benchmark results"],
      ["docs/extending.md", "Extend the service"],
      ["docs/write-a-store.md", "Write a store"],
      ["docs/decisions/README.md", "Decisions"]
    ]
  ],
  [
    "Reference",
    [
      ["docs/specification.md", "Specification"],
      ["docs/glossary.md", "Glossary"],
      ["CHANGELOG.md", "Changelog"],
      ["CONTRIBUTING.md", "Contributing"],
      ["SECURITY.md", "Security"]
    ]
  ]
]

/** Pages that the site has without a place in the sidebar: another page lists them. */
export const isListedElsewhere = (path) => /^docs\/decisions\/[0-9]{4}-[^/]+\.md$/.test(path)

/** Pages that GitHub shows for a folder; on the site, links to them lead to the home page. */
export const replacedByHome = ["README.md", "docs/README.md"]
