/**
 * The brands, keys, signals and campaigns that there must be, by what operators asked for and the store was told, and how an
 * answer must show them. Ids and times are learnt from the store, each once: later answers must show the same.
 */
import { renderedCompany } from "@lead-signals/store-contract/reference"
import type { Json, Stored } from "../world/KnownFacts.ts"
import { bodyOf } from "./Requests.ts"

/** The limit of a key that is created without one, as the world's host sets it. [RATE-1] */
const defaultRequestsPerMinute = 1_000_000

interface Brand {
  readonly id: string
  name: string
  readonly createdAt: number
  deletionStartedAt: number | null
}

interface Key {
  readonly id: string
  readonly brandId: string
  readonly label: string
  readonly start: string
  readonly requestsPerMinute: number
  readonly createdAt: number
  revokedAt: number | null
  readonly expiresAt: string | null
  readonly scopes: ReadonlyArray<string>
  readonly allowedAddresses: ReadonlyArray<string> | null
}

interface Token {
  readonly id: string
  readonly name: string
  readonly start: string
  readonly scopes: ReadonlyArray<string>
  readonly brandIds: ReadonlyArray<string> | null
  readonly createdAt: number
  readonly expiresAt: string | null
  revokedAt: number | null
}

interface Signal {
  readonly id: string
  readonly brandId: string
  name: string
  readonly signalType: string
  readonly source: Json
  readonly createdAt: number
}

interface Campaign {
  readonly id: string
  readonly brandId: string
  name: string
  readonly createdAt: number
}

const iso = (at: number): string => new Date(at).toISOString()
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

/** A brand as the API shows it. */
export const renderedBrand = ({ createdAt, deletionStartedAt, id, name }: Brand): Json => ({
  id,
  name,
  createdAt: iso(createdAt),
  deletionStartedAt: isoOrNull(deletionStartedAt)
})

/** A campaign as the API shows it. */
export const renderedCampaign = ({ createdAt, id, name }: Campaign): Json => ({
  id,
  name,
  createdAt: iso(createdAt)
})

/** A key as the API shows it, without its value. */
export const renderedKey = (key: Key, lastUsedAt: number | null): Json => ({
  id: key.id,
  label: key.label,
  start: key.start,
  requestsPerMinute: key.requestsPerMinute,
  createdAt: iso(key.createdAt),
  lastUsedAt: isoOrNull(lastUsedAt),
  revokedAt: isoOrNull(key.revokedAt),
  expiresAt: key.expiresAt,
  scopes: key.scopes,
  allowedAddresses: key.allowedAddresses
})

/** A token as the API shows it, without its value. */
export const renderedToken = (
  { createdAt, revokedAt, ...token }: Token,
  lastUsedAt: number | null
): Json => ({
  id: token.id,
  name: token.name,
  start: token.start,
  scopes: token.scopes,
  brandIds: token.brandIds,
  createdAt: iso(createdAt),
  expiresAt: token.expiresAt,
  lastUsedAt: isoOrNull(lastUsedAt),
  revokedAt: isoOrNull(revokedAt)
})

/** Each of the asked ones once, in the order in which they are shown. */
const inOrder = (
  all: ReadonlyArray<string>,
  requested: ReadonlyArray<string> | undefined
): ReadonlyArray<string> => (requested === undefined ? all : all.filter((each) => requested.includes(each)))

/** A signal as the API shows it. What its source leaves out is null. */
export const renderedSignal = ({ createdAt, id, name, signalType, source }: Signal): Json => ({
  id,
  name,
  signalType,
  source: {
    id,
    type: source.type,
    value: source.value,
    liCompanyId: source.liCompanyId ?? null,
    company: renderedCompany(source.company ?? null)
  },
  createdAt: iso(createdAt)
})

/** Moved on by what the store did; knows nothing of leads. */
export class DirectoryReference {
  readonly brands = new Map<string, Brand>()
  readonly keys = new Map<string, Key>()
  readonly tokens = new Map<string, Token>()
  readonly signals = new Map<string, Signal>()
  readonly campaigns = new Map<string, Campaign>()
  private readonly given = new Set<string>()

  of<A extends { readonly brandId: string }>(
    things: ReadonlyMap<string, A>,
    brandId: string
  ): ReadonlyArray<A> {
    return [...things.values()].filter((thing) => thing.brandId === brandId)
  }

  /** Whether the brand is there for every call but its deletion and the list of brands. [DEL-5] */
  isThere(brandId: string): boolean {
    return this.brands.get(brandId)?.deletionStartedAt === null
  }

  /** What was created; null where its id was given before. */
  create({ answer, args, call, method }: Stored): Json {
    const { id } = answer
    const kind = method.split(".")[0]!
    if (!/^[1-9]\d*$/.test(id) || this.given.has(`${kind} ${id}`)) return null
    this.given.add(`${kind} ${id}`)
    const requested = bodyOf(call)
    switch (method) {
      case "brands.create": {
        const brand: Brand = {
          id,
          name: requested.name,
          createdAt: args[0].createdAt,
          deletionStartedAt: null
        }
        this.brands.set(id, brand)
        return renderedBrand(brand)
      }
      case "keys.create": {
        const key: Key = {
          id,
          brandId: args[0].brandId,
          label: requested.label,
          start: args[0].start,
          requestsPerMinute: requested.requestsPerMinute ?? defaultRequestsPerMinute,
          createdAt: args[0].createdAt,
          revokedAt: null,
          expiresAt: requested.expiresAt ?? null,
          scopes: inOrder(["leads", "metrics"], requested.scopes),
          allowedAddresses: requested.allowedAddresses ?? null
        }
        this.keys.set(id, key)
        return renderedKey(key, null)
      }
      case "accessTokens.create": {
        const token: Token = {
          id,
          name: requested.name,
          start: args[0].start,
          scopes: inOrder(["read", "ingest", "webhooks", "metrics", "admin"], requested.scopes),
          brandIds: requested.brandIds ?? null,
          createdAt: args[0].createdAt,
          expiresAt: requested.expiresAt ?? null,
          revokedAt: null
        }
        this.tokens.set(id, token)
        return renderedToken(token, null)
      }
      case "signals.create": {
        const { name, signalType, source } = requested
        const signal: Signal = { id, brandId: args[0], name, signalType, source, createdAt: args[2] }
        this.signals.set(id, signal)
        return renderedSignal(signal)
      }
      default: {
        const campaign: Campaign = {
          id,
          brandId: args[0].brandId,
          name: requested.name,
          createdAt: args[0].createdAt
        }
        this.campaigns.set(id, campaign)
        return renderedCampaign(campaign)
      }
    }
  }

  /** Whether the brand had such a thing. */
  remove(things: Map<string, { readonly brandId: string }>, brandId: string, id: string): boolean {
    return things.get(id)?.brandId === brandId && things.delete(id)
  }

  /** [DEL-1] */
  startDeletion(brandId: string, now: number): boolean {
    const brand = this.brands.get(brandId)
    if (brand === undefined) return false
    brand.deletionStartedAt ??= now
    for (const key of this.of(this.keys, brandId)) key.revokedAt ??= now
    for (const { id } of this.of(this.signals, brandId)) this.signals.delete(id)
    return true
  }

  finishDeletion(brandId: string): void {
    this.brands.delete(brandId)
    for (const things of [this.keys, this.campaigns])
      for (const { id } of this.of<{ readonly id: string; readonly brandId: string }>(things, brandId))
        things.delete(id)
  }
}
