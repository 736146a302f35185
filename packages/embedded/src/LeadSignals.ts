/** The domain and the HTTP API over a store, behind promises. */
import {
  Brands,
  BrandStore,
  type Campaign,
  Campaigns,
  Decoder,
  Keys,
  LeadAmendment,
  leadDetailView,
  leadListView,
  LeadQueries,
  Leads,
  MetricsQueries,
  metricsView,
  NotFound,
  NewBrand,
  NewCampaign,
  NewKey,
  NewSignal,
  type Observation as ObservationSchema,
  type Outcome,
  RateLimit,
  recordObservations,
  Renaming,
  type Signal,
  Signals,
  type StoreUnavailable,
  warningsView
} from "@lead-signals/domain"
import {
  checkAllowed,
  fetchHandler,
  type LeadDetailQuery,
  type LeadPageQuery,
  type MetricsQuery,
  type FetchHandler,
  warningsOf
} from "@lead-signals/http"
import { Effect, Either, ManagedRuntime } from "effect"
import { type Call, CallTracker } from "./CallTracker.ts"
import { checkOptions, type EmbeddedOptions } from "./Options.ts"
import { entriesOf } from "./QueryEntries.ts"
import { serviceLayer, type Services } from "./ServiceLayer.ts"

/** An observation as a host writes it: times are ISO 8601 texts, and all fields but four are optional. */
export type Observation = typeof ObservationSchema.Encoded

const readSignal = Decoder.decode(NewSignal, { whole: "The signal", strict: true })
const readAmendment = Decoder.decode(LeadAmendment, { whole: "The amendment", strict: true })
const readBrand = Decoder.decode(NewBrand, { whole: "The brand", strict: true })
const readCampaign = Decoder.decode(NewCampaign, { whole: "The campaign", strict: true })
const readRenaming = Decoder.decode(Renaming, { whole: "The name", strict: true })
const readKey = Decoder.decode(NewKey, { whole: "The key", strict: true })

/**
 * Opens the store and returns a service over it. Rejects with `InvalidParameter`, which names the option,
 * when an option is missing, unknown or of another type, and with `StoreUnavailable` when the store can't be
 * opened.
 */
export const createLeadSignals = async (options: EmbeddedOptions): Promise<LeadSignals> => {
  checkOptions(options)
  const limit = options.requestsPerMinute ?? RateLimit.defaultRequestsPerMinute
  const layer = serviceLayer(options, limit, () => calls.isClosed)
  const calls: CallTracker<Services, StoreUnavailable> = new CallTracker(ManagedRuntime.make(layer))
  try {
    return new Embedded(calls, await calls.run(fetchHandler), limit)
  } catch (failure) {
    await calls.close()
    throw failure
  }
}

/** The response of a closed service. */
export const closedReply = {
  status: 503,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: { code: "unavailable", message: "The service is closed." } })
} as const

const closedResponse = (): Response => {
  const { body, headers, status } = closedReply
  return new Response(body, { status, headers })
}

/** Fails with `NotFound` of the resource when the brand does not exist or is being deleted. [DEL-1] */
const checkBrand = (brandId: string, resource: NotFound["resource"]) =>
  Effect.mapError(Brands.get(brandId), (failure) =>
    failure instanceof NotFound ? new NotFound({ resource }) : failure
  )

/**
 * Answers a request of the web platform. A second argument beside a `Request` is ignored: frameworks hand over values of their own there, which
 * the first signature lets their types accept.
 */
export interface EmbeddedFetch {
  (request: Request): Promise<Response>
  (input: Request | string | URL, init?: RequestInit): Promise<Response>
}

/**
 * Results have the form of the API's responses: times are ISO 8601 texts in UTC, unknown values are `null`. Every method that answers a
 * promise is `async`, so that hostile arguments reject instead of throwing past a caller's `catch`.
 */
class Embedded {
  /**
   * The whole HTTP API, called as the platform's `fetch` is or with a `Request` alone. Each failure is a response; it rejects only where no
   * `Request` can be made of a URL and its `init`, with a `TypeError`.
   */
  readonly fetch: EmbeddedFetch

  /** For `createLeadSignals` alone. */
  constructor(
    private readonly calls: CallTracker<Services, StoreUnavailable>,
    fetch: FetchHandler,
    private readonly requestsPerMinute: number
  ) {
    this.fetch = async (input: Request | string | URL, init?: RequestInit) => {
      const request = typeof input === "string" || input instanceof URL ? new Request(input, init) : input
      return (await calls.trackResponse(() => fetch(request))) ?? closedResponse()
    }
  }

  /** After closing, methods reject with `Closed` and `fetch` responds with 503. */
  get isClosed(): boolean {
    return this.calls.isClosed
  }

  /** Returns a page of the brand's leads. Rejects with `InvalidParameter`, which names the parameter. */
  async list(brandId: string, query: LeadPageQuery = {}, call?: Call) {
    const work = Effect.flatMap(Either.flatMap(entriesOf(query), LeadQueries.readList), (read) =>
      Effect.zipRight(Brands.get(brandId), Leads.list(brandId, read)).pipe(
        // A brand that does not exist has no leads, and neither has one that is being deleted. [DEL-1]
        Effect.catchTag("@lead-signals/domain/NotFound", () => Effect.succeed({ total: 0, leads: [] })),
        Effect.map((page) => leadListView(read, page, warningsOf(read.ignored)))
      )
    )
    return this.calls.run(work, call)
  }

  /**
   * Returns one lead with its newest engagements, at most 20. Rejects with `NotFound` when the id is unknown, erased
   * or another brand's, and with `InvalidParameter`. [DET-1]
   */
  async detail(brandId: string, leadId: number, query: LeadDetailQuery = {}, call?: Call) {
    const work = Effect.gen(function* () {
      const { engagements } = yield* LeadQueries.readDetail(yield* entriesOf(query))
      yield* checkBrand(brandId, "lead")
      return leadDetailView(yield* Leads.getRendered(brandId, leadId, engagements))
    })
    return this.calls.run(work, call)
  }

  /**
   * Returns the totals of a campaign within a span of days; each figure is null when no post was read in it. Rejects
   * with `NotFound` and `InvalidParameter`. [MET-2, MET-3]
   */
  async metrics(brandId: string, campaignId: string, query: MetricsQuery = {}, call?: Call) {
    const work = Effect.gen(function* () {
      const { ignored, span } = yield* MetricsQueries.read(yield* entriesOf(query))
      yield* checkBrand(brandId, "campaign")
      const found = yield* Campaigns.metrics(brandId, campaignId, span)
      return { ...metricsView(campaignId, found), ...warningsView(warningsOf(ignored)) }
    })
    return this.calls.run(work, call)
  }

  /**
   * Records any number of observations and returns their outcomes in order: `recorded`, `duplicate`,
   * `suppressed`, or `rejected` with a message. Recording an observation again changes nothing. Rejects with
   * `NotFound` when there is no such brand.
   */
  async observe(
    brandId: string,
    observations: ReadonlyArray<Observation>,
    call?: Call
  ): Promise<ReadonlyArray<Outcome>> {
    return this.observeUnknown(brandId, observations, call)
  }

  /**
   * Like `observe`, for values of unknown shape, such as parsed JSON: a malformed value is `rejected` with a
   * message that names the field and what it takes.
   */
  async observeUnknown(
    brandId: string,
    observations: ReadonlyArray<unknown>,
    call?: Call
  ): Promise<ReadonlyArray<Outcome>> {
    const work = Effect.flatMap(Brands.get(brandId), (brand) => recordObservations(brand, observations))
    return this.calls.run(work, call)
  }

  /** Creates a brand. Rejects with `InvalidParameter` unless the name is a text of 1 to 256 characters. */
  async createBrand(name: string, call?: Call): Promise<{ readonly id: string; readonly name: string }> {
    const work = Effect.flatMap(readBrand({ name }), (read) => Brands.create(read.name))
    const brand = await this.calls.run(work, call)
    return { id: brand.id, name: brand.name }
  }

  /** Returns all brands in order of creation, also those that are being deleted. */
  async brands(call?: Call): Promise<ReadonlyArray<{ readonly id: string; readonly name: string }>> {
    const work = Effect.flatMap(BrandStore, (brandStore) => brandStore.list)
    return this.calls.run(
      Effect.map(work, (brands) => brands.map(({ id, name }) => ({ id, name }))),
      call
    )
  }

  /**
   * Creates a key of the brand for `fetch`, where one with `allowedAddresses` never works: a `Request` has no address. The result is the only place that ever holds the key's value. Rejects
   * with `NotFound` when there is no such brand, and with `InvalidParameter`, which names the field. [AUTH-4]
   */
  async createKey(
    brandId: string,
    options: typeof NewKey.Encoded,
    call?: Call
  ): Promise<{ readonly id: string; readonly value: string }> {
    const work = Effect.gen(this, function* () {
      const given = yield* readKey(options)
      yield* checkAllowed(given.allowedAddresses)
      const { requestsPerMinute = this.requestsPerMinute } = given
      return yield* Keys.create(brandId, { ...given, requestsPerMinute })
    })
    const { key, value } = await this.calls.run(work, call)
    return { id: key.id, value }
  }

  /** Revokes a key; a second call is no error. Rejects with `NotFound` when the brand has no such key. [AUTH-5] */
  async revokeKey(brandId: string, keyId: string, call?: Call): Promise<void> {
    return this.calls.run(Keys.revoke(brandId, keyId), call)
  }

  /**
   * Creates a source that the brand watches; `createdAt` is in milliseconds since 1970. Rejects with
   * `InvalidParameter`, which names the field, and with `NotFound` when there is no such brand.
   */
  async createSignal(brandId: string, signal: typeof NewSignal.Encoded, call?: Call): Promise<Signal> {
    const work = Effect.flatMap(readSignal(signal), (read) => Signals.create(brandId, read))
    return this.calls.run(work, call)
  }

  /**
   * Renames the brand. Rejects with `NotFound` when there is no such brand, and with `InvalidParameter` unless the
   * name is a text of 1 to 256 characters.
   */
  async renameBrand(brandId: string, name: string, call?: Call): Promise<void> {
    const work = Effect.flatMap(readRenaming({ name }), (read) => Brands.rename(brandId, read.name))
    await this.calls.run(work, call)
  }

  /**
   * Deletes the brand with all its data. Its keys are revoked and it is hidden at once; its leads are deleted
   * in batches, so that other brands are served meanwhile, and `onProgress` receives the number left after
   * each batch. A call continues a deletion that an earlier call began and did not finish. Rejects with
   * `NotFound` when there is no such brand.
   */
  async deleteBrand(
    brandId: string,
    { onProgress, ...call }: Call & { readonly onProgress?: (leadsLeft: number) => void } = {}
  ): Promise<void> {
    const { isFinished, leadsLeft } = await this.calls.run(Brands.deleteSome(brandId), call)
    onProgress?.(leadsLeft)
    // Between two calls another caller can finish the deletion.
    const deleteMore = Effect.catchTag(Brands.deleteSome(brandId), "@lead-signals/domain/NotFound", () =>
      Effect.succeed({ isFinished: true, leadsLeft: 0 })
    )
    for (let isDone = isFinished; !isDone;) {
      const step = await this.calls.run(deleteMore, call)
      onProgress?.(step.leadsLeft)
      isDone = step.isFinished
    }
  }

  /** Rejects observations of the signal from then on; its leads stay. Rejects with `NotFound`. */
  async deleteSignal(brandId: string, signalId: string, call?: Call): Promise<void> {
    return this.calls.run(Signals.remove(brandId, signalId), call)
  }

  /** Deletes the campaign with its snapshots. Rejects with `NotFound`. */
  async deleteCampaign(brandId: string, campaignId: string, call?: Call): Promise<void> {
    return this.calls.run(Campaigns.remove(brandId, campaignId), call)
  }

  /** Renames the signal in everything that shows it. Rejects as `renameBrand` does. */
  async renameSignal(brandId: string, signalId: string, name: string, call?: Call): Promise<void> {
    const work = Effect.flatMap(readRenaming({ name }), (read) =>
      Signals.rename(brandId, signalId, read.name)
    )
    await this.calls.run(work, call)
  }

  /** Renames the campaign. Rejects as `renameBrand` does. */
  async renameCampaign(brandId: string, campaignId: string, name: string, call?: Call): Promise<void> {
    const work = Effect.flatMap(readRenaming({ name }), (read) =>
      Campaigns.rename(brandId, campaignId, read.name)
    )
    await this.calls.run(work, call)
  }

  /**
   * Creates a group of posts that are measured together; `createdAt` is in milliseconds since 1970. Rejects
   * as `createSignal` does.
   */
  async createCampaign(brandId: string, name: string, call?: Call): Promise<Campaign> {
    const work = Effect.flatMap(readCampaign({ name }), (read) => Campaigns.create(brandId, read.name))
    return this.calls.run(work, call)
  }

  /** Sets flags and score; omitted fields stay. Rejects with `NotFound` and `InvalidParameter`. */
  async amend(
    brandId: string,
    leadId: number,
    amendment: typeof LeadAmendment.Encoded,
    call?: Call
  ): Promise<void> {
    const work = Effect.flatMap(readAmendment(amendment), (read) => Leads.amend(brandId, leadId, read))
    await this.calls.run(work, call)
  }

  /**
   * Erases the person everywhere; later observations of the person are not recorded. Rejects with `NotFound`.
   */
  async erase(brandId: string, leadId: number, call?: Call): Promise<void> {
    const work = Effect.flatMap(Brands.get(brandId), (brand) => Leads.erase(brand, leadId))
    return this.calls.run(work, call)
  }

  /**
   * Runs an effect of the host's own with the service's store and the services of the API. Rejects with the effect's
   * failure.
   */
  async run<A, E>(work: Effect.Effect<A, E, Services>, call?: Call): Promise<A> {
    return this.calls.run(work, call)
  }

  /**
   * Stops calls under way, ends live events and requests that wait, waits until deliveries under way are recorded, and closes the store. Stop a server
   * that passes requests to `fetch` first. Later calls reject with `Closed`.
   */
  async close(): Promise<void> {
    return this.calls.close()
  }
}

/** The service that `createLeadSignals` returns. Results have the form of the API's responses. */
export type LeadSignals = Embedded

/** The result of `list`: leads and their page. */
export type LeadPage = Awaited<ReturnType<LeadSignals["list"]>>
/** One lead of a page. */
export type Lead = LeadPage["data"][number]
/** The result of `detail`: a lead with its newest engagements. */
export type LeadDetail = Awaited<ReturnType<LeadSignals["detail"]>>
/** One engagement of a lead. */
export type Engagement = LeadDetail["engagements"][number]
/** The result of `metrics`: the totals of a campaign. */
export type CampaignMetrics = Awaited<ReturnType<LeadSignals["metrics"]>>
