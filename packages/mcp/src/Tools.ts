/** The tools: which operations of the API each calls, with which of their parameters, and the words about it. [MCP-4] */

/** A tool that an assistant can call. Its arguments, answers and errors derive from the operations. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** What it does and answers. */
  readonly does: string
  /** How much it answers at most, in the tool's own words; what the parameters say stays with them. */
  readonly limits: string
  /** The operation that a brand's key calls; null where a key can't. */
  readonly asKey: string | null
  /** The operation that an operator's token calls; null where a token can't. */
  readonly asOperator: string | null
  /** The parameters and fields that are arguments; all of them unless given. */
  readonly takes?: ReadonlyArray<string>
  /** Arguments that the tool needs although the operation does not. */
  readonly needs?: ReadonlyArray<string>
  /** Parameters that the tool sets itself. */
  readonly sets?: Readonly<Record<string, string>>
  /** Values of parameters that the tool sends unless it is given others. */
  readonly defaults?: Readonly<Record<string, number>>
  /** Schemas of the answer, by their names in the document, that the named tool's own output schema has; here they are left out. */
  readonly describedBy?: Readonly<Record<string, string>>
  /** What a call changes: nothing, what a repetition changes no further, or something with each call. */
  readonly changes: "nothing" | "once" | "each time"
}

const aPage = "One page: 25 leads unless pageSize says otherwise, 100 at most, 25 with engagements."
const span = "At most 400 intervals."

/** Every tool, in the order in which they are listed. */
export const tools: ReadonlyArray<Tool> = [
  {
    name: "search_leads",
    title: "Search leads",
    does: "Lists and searches the brand's leads: people who commented on, reacted to or reposted what the brand tracks. The filters join with AND. meta.pagination says how many leads match; read on with page.",
    limits: aPage,
    asKey: "listLeads",
    asOperator: "operator.operatorLeads",
    describedBy: { Engagement: "get_lead" },
    changes: "nothing"
  },
  {
    name: "get_lead",
    title: "One lead with its timeline",
    does: "Reads one lead with its company and its timeline: the newest engagements, newest first, each with the post, its author and the signal. engagementsMeta.truncated says whether there are older ones.",
    limits: "At most 20 engagements.",
    asKey: "getLead",
    asOperator: "operator.operatorLead",
    changes: "nothing"
  },
  {
    name: "leads_changed_since",
    title: "What changed since",
    does: "Lists the leads that are new or changed since a time, the earliest change first. Several leads can share one updatedAt: to go on later, pass the updatedAt of the last lead again, and skip the ids that you have. Leads that were removed since are not listed: list_changes has them.",
    limits: aPage,
    asKey: "listLeads",
    asOperator: "operator.operatorLeads",
    takes: [
      "brandId",
      "updatedAfter",
      "updatedBefore",
      "signalId",
      "page",
      "pageSize",
      "includeEngagements",
      "includeEngagementDetail"
    ],
    needs: ["updatedAfter"],
    sets: { sort: "updatedAt:asc" },
    describedBy: { Lead: "search_leads" },
    changes: "nothing"
  },
  {
    name: "list_changes",
    title: "Changes since a cursor",
    does: "Reads the feed of changes, for a copy of the leads that misses nothing: leads that are new or changed, in the order of commits, and the ids of leads that were removed, by an erasure or after their retention. Without cursor it begins with the brand's first lead. Read on with meta.cursor while meta.hasMore is true, and keep the last cursor for later. After cursor_expired begin without one, and drop leads that do not come.",
    limits: "One page: 25 changes unless pageSize says otherwise, 100 at most, 25 with engagements.",
    asKey: "listChanges",
    asOperator: "operator.operatorChanges",
    takes: ["brandId", "cursor", "pageSize", "includeEngagements", "includeEngagementDetail"],
    defaults: { pageSize: 25 },
    describedBy: { Lead: "search_leads" },
    changes: "nothing"
  },
  {
    name: "list_signals",
    title: "Signals",
    does: "Lists what the brand watches: companies, people, posts and words, each with its id, which the argument signalId of search_leads takes.",
    limits: "All of them at once; a brand has few.",
    asKey: "readSignals",
    asOperator: "operator.listSignals",
    describedBy: { Company: "get_lead" },
    changes: "nothing"
  },
  {
    name: "list_campaigns",
    title: "Campaigns",
    does: "Lists the brand's campaigns with their ids.",
    limits: "All of them at once; a brand has few.",
    asKey: "readCampaigns",
    asOperator: "operator.listCampaigns",
    changes: "nothing"
  },
  {
    name: "get_campaign_metrics",
    title: "A campaign's metrics",
    does: "Reads a campaign's cumulative impressions, reactions, comments, reposts and engagement rate: the latest, or those of the latest snapshot between two days. All are null where there is no snapshot.",
    limits: "One snapshot.",
    asKey: "campaignMetrics",
    asOperator: "operator.operatorMetrics",
    changes: "nothing"
  },
  {
    name: "get_campaign_series",
    title: "A campaign's metrics over time",
    does: "Reads a campaign's cumulative figures at the end of each day or week, of the campaign or of one post.",
    limits: span,
    asKey: "readCampaignSeries",
    asOperator: "operator.campaignSeries",
    changes: "nothing"
  },
  {
    name: "get_lead_series",
    title: "New leads over time",
    does: "Counts a brand's new leads by hour, day or week, in all or by signal.",
    limits: span,
    asKey: null,
    asOperator: "operator.leadSeries",
    changes: "nothing"
  },
  {
    name: "get_engagement_series",
    title: "Engagements over time",
    does: "Counts a brand's engagements by hour, day or week, in all, by signal or by type.",
    limits: span,
    asKey: null,
    asOperator: "operator.engagementSeries",
    changes: "nothing"
  },
  {
    name: "list_brands",
    title: "Brands",
    does: "Lists the brands that the operator's token reaches, with the ids that brandId takes.",
    limits: "All of them at once.",
    asKey: null,
    asOperator: "operator.listBrands",
    changes: "nothing"
  },
  {
    name: "list_webhooks",
    title: "Webhooks",
    does: "Lists a brand's webhooks without their secrets, with the ids that webhookId of resend_lead takes.",
    limits: "All of them at once; a brand has few.",
    asKey: null,
    asOperator: "webhooks.listWebhooks",
    changes: "nothing"
  },
  {
    name: "mark_lead",
    title: "Mark a lead",
    does: "Sets whether a lead is qualified and whether it is exported; a flag that is left out stays. The lead's updatedAt moves. Ask the person at the keyboard before you call it.",
    limits: "One lead.",
    asKey: null,
    asOperator: "operator.amendLead",
    takes: ["brandId", "id", "qualified", "exported"],
    describedBy: { Lead: "search_leads" },
    changes: "once"
  },
  {
    name: "resend_lead",
    title: "Resend a lead's event",
    does: "Sends a lead's lead2.created or its latest activity.detected to one webhook again, which passes personal data to the webhook's receiver. A repetition with the same Idempotency-Key sends nothing again. Ask the person at the keyboard before you call it.",
    limits: "One delivery.",
    asKey: null,
    asOperator: "webhooks.resendLead",
    changes: "each time"
  }
]
