/** What the generated files hold: companies, people, leads, posts, engagements, signals and readings. */
export interface CompanyFact {
  readonly id: number
  readonly name: string
  readonly domain: string
  readonly url: string
  readonly homepageUrl: string
  readonly logoUrl: string
  readonly industry: string
  readonly staffCountRange: string
  readonly staffCount: number
  readonly location: string
  readonly country: string
  readonly city: string
  readonly username: string
  readonly description: string
}

/** A person as an observation has them. */
export interface PersonFact {
  readonly extId: string
  readonly name: string
  readonly firstName: string
  readonly lastName: string
  readonly headline: string
  readonly username: string
  readonly title1: string
  readonly liProfileUrl: string
  readonly profileImgUrl: string
  /** The index in `companies`. */
  readonly company: number
}

/** A lead with its person. */
export interface LeadFact {
  readonly id: number
  readonly brandId: number
  readonly person: PersonFact
  readonly signalId: number
  readonly signalIds: ReadonlyArray<number>
  readonly qualified: boolean
  readonly exported: boolean
  readonly isEmployee: boolean
  readonly score1: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The author of a post as an observation has them: the fields of a person, some under other names. */
export interface AuthorFact {
  readonly extId: string
  readonly name: string
  readonly firstName: string
  readonly lastName: string
  readonly headline: string
  readonly username: string
  readonly linkedinProfileUrl: string
  readonly profileImageUrl: string
}

/** A post that somebody engaged with. */
export interface PostFact {
  readonly url: string
  readonly content: string
  readonly postedAt: number
  readonly authorName: string
  readonly author: AuthorFact | null
}

/** One engagement of a lead. */
export interface EngagementFact {
  /** From 1, in order of time. */
  readonly seq: number
  readonly brandId: number
  readonly id: string
  readonly leadId: number
  readonly signalId: number
  readonly type: "comment" | "reaction" | "repost"
  readonly reactionType: string | null
  readonly commentText: string | null
  readonly post: PostFact
  readonly emittedAt: number
  readonly trackedAt: number
}

/** A signal of a brand, with its source. */
export interface SignalFact {
  readonly id: number
  readonly brandId: number
  readonly name: string
  readonly signalType: string
  readonly source: {
    readonly type: string
    readonly value: string
    readonly liCompanyId: string | null
    readonly company: CompanyFact | null
  }
}

/** The totals of a post up to a UTC day. */
export interface ReadingFact {
  readonly campaignId: number
  readonly postId: string
  readonly day: string
  readonly impressions: number
  readonly reactions: number
  readonly comments: number
  readonly reposts: number
}
