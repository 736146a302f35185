/**
 * What makes the server fast, each as a change of its source that turns it off, with the shapes that it is for. Answers stay the
 * same. Anchors are those of planted bugs (`SyntaxEdit.ts`): a change that does not fit the source any more fails by name.
 *
 * Shapes called `written-…` are read right after a write; `beside-…` is what a cheap request takes while others request that
 * shape; `observations` are posted one by one, 16 at a time.
 */
import type { SourceChange } from "@lead-signals/simulations/bugs"

/** A mechanism, the edit that turns it off, and the shapes that it is for. */
export interface Ablation extends SourceChange {
  /** What the mechanism does, in one line. */
  readonly about: string
  readonly shapes: ReadonlyArray<string>
  /** What is requested for how long before anything is measured, where the mechanism has to fill first. */
  readonly warmUp?: { readonly shape: string; readonly seconds: number }
}

const ablationIn =
  (packageName: string, moduleName: string) =>
  (
    name: string,
    about: string,
    shapes: ReadonlyArray<string>,
    ...edits: SourceChange["edits"]
  ): Ablation => ({
    name,
    about,
    shapes,
    edits,
    module: { package: packageName, name: moduleName }
  })

const inStore = (module: string) => ablationIn("store-sqlite", module)
const inHttp = (module: string) => ablationIn("http", module)
const leadPages = inStore("LeadPages")
const listing = inStore("LeadListing")
const reading = inStore("LeadReads")
const filterCounts = inStore("FilterCounts")

/** Every lead and every pair of lead and signal, as the counter `lead_count` numbers them. */
const countedLeads =
  "(SELECT brand_id, 0 AS signal_id, flags FROM lead UNION ALL SELECT s.brand_id, g.signal_id, g.flags FROM lead_signal g JOIN signal s ON s.id = g.signal_id)"

const lists = ["first-page", "page-size-100", "sort-name:asc", "qualified", "with-engagement-detail"]
const deepPages = ["page-1000-updatedAt:asc", "last-page-name:asc", "page-50-qualified"]

/** Every mechanism that is there only for speed. What gains less than 1.3 times on all its shapes is to be removed. */
export const ablations: ReadonlyArray<Ablation> = [
  leadPages(
    "rank-index",
    "finds where a deep page begins from the counts of the order's rank buckets",
    ["random-page", "random-engagements", ...deepPages, "written-last-page-name:asc"],
    {
      in: "findPage",
      find: "isCounted($selection) && $rankIndex.findingEffort + ($limit * $counts.all) / $total < $plan.effort",
      put: "false"
    }
  ),
  inStore("LeadLists")(
    "page-cache",
    "keeps the JSON of pages while nothing is written, and with it the encoded bodies",
    [...lists, "page-1000-updatedAt:asc", "search-common", "random-page", "random-paging"],
    { in: "leadLists.listRendered", find: "$caches.at($sql).renderedPages.get($key)", put: "undefined" }
  ),
  inHttp("EncodedBodyCache")(
    "encoded-bodies",
    "keeps the bytes of pages that the store keeps",
    [...lists, "random-page", "random-engagements"],
    { in: "EncodedBodyCache.bodyOf", find: "$entry?.variant === $variant", put: "false" }
  ),
  inStore("SqliteLeadStore")(
    "detail-cache",
    "keeps the JSON of details while nothing is written",
    ["detail", "detail-with-detail", "random-detail"],
    { in: "makeLeadStore.getRendered", find: "$renderedDetails.get($key)", put: "undefined" }
  ),
  reading(
    "rendered-json",
    "keeps the JSON of each lead beside its row",
    ["random-page", "random-signal-page", "random-detail", "written-page-size-100", "written-detail"],
    { in: "renderedLeads", find: "$sql.valuePerKey($text, $ids)", put: "$ids.map(() => null)" },
    {
      in: "renderedDetail",
      find: "const $row = $sql.get($text, [$id, idOf($brandId)])",
      put: "const $row = leadById($sql, $brandId, $id) ?? undefined"
    },
    {
      in: "renderedDetail",
      find: "RenderedLeads.restore($id, $row.rendered) ?? $made",
      put: "RenderedLeads.renderLead($row)"
    },
    {
      in: "renderedDetail",
      find: "companyOf($row.company)",
      put: "$row.profile.company"
    }
  ),
  inStore("LeadCaches")(
    "totals",
    "keeps how many leads a filter lets through, and corrects it by what is written",
    ["random-paging", "written-search-common", "written-qualified+search", "written-updated-after"],
    { in: "LeadCaches", find: "$counted.get($key)?.n", put: "undefined" }
  ),
  filterCounts(
    "counters",
    "counts leads by flags and signals as they are written",
    ["random-page", "random-signal-page", "random-window", "written-first-page", "written-qualified"],
    {
      in: "countsSql",
      text: "SELECT sum(n) FROM lead_count WHERE",
      put: `SELECT count(*) FROM ${countedLeads} WHERE`
    },
    {
      in: "totalSql",
      text: "SELECT coalesce(sum(n), 0) AS n FROM lead_count WHERE",
      put: `SELECT count(*) AS n FROM ${countedLeads} WHERE`
    }
  ),
  filterCounts(
    "day-counters",
    "counts the leads of a window by days",
    ["random-window", "written-created-after", "written-updated-window"],
    { in: "totalSql", find: "return countOfRange($$rest)", put: "{}" }
  ),
  inStore("Selection")(
    "implied-bound",
    "reads a window of creation from the index of updates, and the other way around",
    ["random-window", "written-created-by-updated"],
    { in: "select", find: "impliedBy($$ranges)", put: "null" }
  ),
  listing(
    "reversed-ties",
    "reads an order against its index, and puts leads of one key in order itself",
    ["random-window", "random-signal-page", "written-first-page", "written-sort-score1:desc"],
    { in: "readPage", find: '$way === "walk" && $ordering.isReversed', put: "false" }
  ),
  listing(
    "merged-flags",
    "merges the newest leads of each combination of flags",
    ["random-paging", "written-qualified+exported+employee", "written-page-50-qualified"],
    { in: "planPage", find: "$merged < $gathered && $merged * sortWeight < $walked", put: "false" }
  ),
  listing(
    "text-walk",
    "walks an order and looks at texts where a search finds many leads",
    ["random-search", "random-paging", "written-search-common", "written-qualified+search"],
    { in: "planPage", find: "$walks && $searched !== undefined && $$rest", put: "false" }
  ),
  {
    ...inStore("SearchTexts")(
      "search-memory",
      "searches the texts of large brands in memory, in a thread of its own",
      [
        "random-search",
        "random-syllables",
        "random-name-part",
        "random-paging",
        "random-signal-page",
        "beside-random-search"
      ],
      {
        in: "SearchTexts.want",
        find: "!isAnswerable($filter)",
        put: "true"
      }
    ),
    // A million leads are in memory after some seconds.
    warmUp: { shape: "random-name-part", seconds: 20 }
  },
  inStore("index")(
    "reading-worker",
    "reads in a thread what takes long",
    ["random-search", "search-2", "beside-random-search", "beside-random-window"],
    { in: "layer", find: "10_000", put: "Number.POSITIVE_INFINITY" }
  ),
  inStore("SharedSnapshot")(
    "shared-snapshot",
    "reads one state of the file for all requests of one turn of the event loop",
    ["first-page", "detail", "random-detail", "random-page"],
    { in: "SharedSnapshot.read", find: "this.ticks.atEnd($end)", put: "this.end()" }
  ),
  inHttp("node")(
    "fast-path",
    "answers what clients read without the platform's request and response",
    ["first-page", "detail", "random-detail", "random-page"],
    {
      in: "apiListener",
      find: "$problem === null ? $fastPath($raw) : refuse($raw, $problem)",
      put: "$problem === null ? null : refuse($raw, $problem)"
    }
  ),
  inHttp("ResponseBatcher")(
    "response-batching",
    "writes the responses of one turn of the event loop together",
    ["first-page", "detail", "with-engagement-detail", "random-detail", "random-page"],
    {
      in: "ResponseBatcher.add",
      given: ["this.pending.push($write)"],
      find: "if (this.pending.length === 0) { $$begin }",
      put: "return $write()"
    }
  ),
  inStore("SqliteRateWindows")(
    "rate-read-ahead",
    "takes requests of a busy key out of the file of rate windows ahead",
    ["first-page", "detail", "random-detail"],
    { in: "takenAheadOf", find: "Math.floor($$share)", put: "0" }
  ),
  inStore("DriverConnection")(
    "prepared-once",
    "keeps SQLite from preparing statements with limits anew for each run",
    ["random-page", "random-signal-page", "random-paging", "written-first-page", "observations"],
    { in: "preparedOnce", find: '$text.replaceAll(/(= |LIMIT |OFFSET )\\?/g, "$1+?")', put: "$text" }
  ),
  inStore("GroupCommit")(
    "group-commit",
    "commits what comes in one turn of the event loop together",
    ["observations"],
    { in: "groupCommit", find: "$waiting.slice(0, maxGroup)", put: "$waiting.slice(0, 1)" }
  )
]
