/** `lead-signals brands …` and `keys …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Decoder, NewSignal } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { CommandProcess, Failed, group, leaf, usage } from "@lead-signals/command-line"
import { duration, progress } from "../Progress.ts"
import { expires, listed } from "./OperatorsCommands.ts"
import {
  brand,
  calling,
  listAt,
  listOfBrand,
  keyedOptions,
  operatorOptions,
  pathOf,
  printResource
} from "./OperatorCommand.ts"

const brands = "/operator/brands"
const brandPath = (brandId: string): string => `${brands}/${encodeURIComponent(brandId)}`

const name = Args.text({ name: "NAME" }).pipe(Args.withDescription("Name of the brand"))
const withKey = Options.text("key").pipe(
  Options.withDescription("Also creates a key with this label, and prints it"),
  Options.optional
)
const watch = Options.text("watch").pipe(
  Options.withDescription("Also creates a signal that watches this company's URL"),
  Options.optional
)

const readSignal = Decoder.decode(NewSignal, { whole: "--watch", strict: true })

/** Checks the signal before the brand is created, because a failure later would leave a brand without it. */
const checkSignal = (body: unknown) =>
  Effect.catchAll(readSignal(body), ({ message }) =>
    usage(message.replace(/^\S+/, "--watch").replace(" for the source type li-company-url", ""))
  )

const confirm = Options.text("confirm").pipe(
  Options.withDescription("The brand's name, to confirm the deletion")
)

const brandId = Args.text({ name: "BRAND-ID" }).pipe(
  Args.withDescription("Id of the brand; `brands list` shows it")
)

/**
 * Repeats the call, which deletes a part, until nothing is left; shows progress on standard error. `isGone` finds out whether the
 * brand is listed no more: when a call fails, an earlier call whose answer was lost, or another caller, can have finished it.
 */
const deleteBrand = (deleteSome: Effect.Effect<any, Failed>, isGone: Effect.Effect<boolean, Failed>) =>
  Effect.gen(function* () {
    const bar = progress((yield* CommandProcess).stderr, Date.now)
    yield* Effect.addFinalizer(() => Effect.sync(() => bar.clear()))
    const startedAt = Date.now()
    let left: number | null = null
    const step = Effect.catchAll(deleteSome, (failure) =>
      Effect.gen(function* () {
        if (yield* Effect.orElseSucceed(isGone, () => false)) return { data: { deleted: true } }
        const lost =
          left === null ? "The deletion may have begun" : `The deletion has begun, and ${left} leads are left`
        return yield* new Failed({
          ...failure,
          message: `${failure.message} ${lost}; run the same command again to continue.`
        })
      })
    )
    for (let first: number | null = null; ;) {
      const { deleted, leadsLeft } = (yield* step).data
      if (deleted) return
      left = leadsLeft as number
      first ??= left
      const fraction = first === 0 ? 1 : 1 - left / first
      const seconds = ((Date.now() - startedAt) / 1000) * (1 / fraction - 1)
      // The first answer says nothing of how fast leads go.
      const rest = fraction === 0 ? "" : `, ${duration(seconds)}`
      bar.update({ fraction, text: `${left} leads left${rest}` })
    }
  }).pipe(Effect.scoped)

/** `lead-signals brands`. Deleting needs the brand's name as --confirm, and repeats the call until nothing is left. [DEL-1] */
export const brandsCommand = group(
  "brands",
  {
    summary: "Lists, creates, renames and deletes brands",
    examples: [
      ["lead-signals brands create 'My brand' --key crm --watch https://network.example/company/rival", ""]
    ]
  },
  [
    listAt(brands, "Lists all brands", {
      id: ({ id }) => id,
      name: ({ name }) => name,
      created: ({ createdAt }) => createdAt,
      "being deleted since": ({ deletionStartedAt }) => deletionStartedAt
    }),
    leaf(
      "create",
      {
        summary: "Creates a brand; --key and --watch also create a key and a signal",
        details: ["The key is printed only now: the server keeps nothing but its hash."]
      },
      { name, key: withKey, watch, ...keyedOptions },
      calling(
        (call, given) =>
          Effect.gen(function* () {
            const label = Option.getOrNull(given.key)
            const value = Option.getOrNull(given.watch)
            const source = { type: "li-company-url", value }
            const body = { name: value, signalType: "competitor-posts", source }
            if (value !== null) yield* checkSignal(body)
            const { data: createdBrand } = yield* call("POST", brands, { name: given.name })
            // The key comes last: its value appears only once, and a failure after it would lose it.
            const rest = Effect.gen(function* () {
              const signal =
                value === null ? null : (yield* call("POST", pathOf(createdBrand.id, "signals"), body)).data
              const key =
                label === null ? null : (yield* call("POST", pathOf(createdBrand.id, "keys"), { label })).data
              return { key, signal }
            })
            const { key, signal } = yield* Effect.mapError(
              rest,
              (failure) =>
                new Failed({
                  ...failure,
                  message: `${failure.message} Brand ${createdBrand.id} was created.`
                })
            )
            const lines = [
              `Brand ${createdBrand.id}, ${createdBrand.name}`,
              ...(key === null ? [] : [`Key ${key.id}: ${key.key}`]),
              ...(signal === null ? [] : [`Signal ${signal.id} watches ${value}`])
            ]
            return { value: { brand: createdBrand, key, signal }, text: lines.join("\n") }
          }),
        { label: "--key" }
      )
    ),
    leaf(
      "rename",
      { summary: "Renames a brand" },
      { brandId, name, ...operatorOptions },
      calling((call, given) =>
        Effect.map(
          call("PATCH", brandPath(given.brandId), { name: given.name }),
          printResource(({ id, name }) => `Brand ${id} is now called ${name}.`)
        )
      )
    ),
    leaf(
      "delete",
      {
        summary: "Deletes a brand with its leads, webhooks, campaigns, signals and keys",
        details: [
          "The server refuses the brand's keys at once. Nothing can undo the deletion. It removes leads in batches and serves other",
          "brands meanwhile. To continue a deletion that was interrupted, run the same command again."
        ],
        examples: [["lead-signals brands delete 2 --confirm 'My brand'", ""]]
      },
      { brandId, confirm, ...operatorOptions },
      calling((call, given) =>
        Effect.gen(function* () {
          const find = Effect.map(call("GET", brands), ({ data }) =>
            data.find(({ id }: any) => id === given.brandId)
          )
          const named = yield* find
          if (named === undefined)
            return yield* new Failed({
              message: `There is no brand ${given.brandId}; \`brands list\` shows those that exist.`
            })
          if (named.name !== given.confirm) {
            return yield* usage(`--confirm takes the name of brand ${named.id}; \`brands list\` shows it.`)
          }
          yield* deleteBrand(
            call("DELETE", brandPath(named.id)),
            Effect.map(find, (found) => found === undefined)
          )
          return {
            value: { id: named.id, deleted: true },
            text: `Brand ${named.id} is deleted with all its data.`
          }
        })
      )
    )
  ]
)

const label = Args.text({ name: "LABEL" }).pipe(Args.withDescription("What the key is for, such as crm"))
const keyId = Args.text({ name: "KEY-ID" }).pipe(Args.withDescription("Id of the key; `keys list` shows it"))
const limit = Options.integer("requests-per-minute").pipe(
  Options.withDescription("Requests a minute that the key may make [the server's default]"),
  Options.optional
)

const scopes = Options.text("scopes").pipe(
  Options.withDescription("What the key reads, separated by commas [leads,metrics]"),
  Options.optional
)
const allow = Options.text("allow").pipe(
  Options.withDescription("Addresses and CIDRs from which it works, separated by commas [all]"),
  Options.optional
)

/** `lead-signals keys`. A created key is printed once: the server keeps its hash alone. [AUTH-4] */
export const keysCommand = group(
  "keys",
  {
    summary: "Lists, creates and revokes the API keys of a brand",
    examples: [
      ["lead-signals keys create crm --brand 2", ""],
      ["lead-signals keys revoke 3 --brand 2", ""]
    ]
  },
  [
    listOfBrand("keys", "Lists the keys of a brand, without their values", {
      id: ({ id }) => id,
      label: ({ label }) => label,
      "starts with": ({ start }) => start,
      "a minute": ({ requestsPerMinute }) => requestsPerMinute,
      "last used": ({ lastUsedAt }) => lastUsedAt,
      scopes: ({ scopes }) => scopes,
      "works from": ({ allowedAddresses }) => allowedAddresses ?? "everywhere",
      expires: ({ expiresAt }) => expiresAt,
      revoked: ({ revokedAt }) => revokedAt
    }),
    leaf(
      "create",
      {
        summary: "Creates a key",
        details: ["The key is printed only now: the server keeps nothing but its hash."]
      },
      { label, brand, limit, scopes, expires, allow, ...keyedOptions },
      calling((call, given) => {
        const requestsPerMinute = Option.getOrUndefined(given.limit)
        const keyScopes = Option.getOrUndefined(Option.map(given.scopes, listed))
        const expiresAt = Option.getOrUndefined(given.expires)
        const allowedAddresses = Option.getOrUndefined(Option.map(given.allow, listed))
        return Effect.map(
          call("POST", pathOf(given.brand, "keys"), {
            label: given.label,
            ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
            ...(keyScopes === undefined ? {} : { scopes: keyScopes }),
            ...(expiresAt === undefined ? {} : { expiresAt }),
            ...(allowedAddresses === undefined ? {} : { allowedAddresses })
          }),
          printResource(({ id, key }) => `Key ${id}: ${key}`)
        )
      })
    ),
    leaf(
      "revoke",
      { summary: "Revokes a key, at once and for good" },
      { keyId, brand, ...operatorOptions },
      calling((call, given) =>
        Effect.as(call("DELETE", pathOf(given.brand, "keys", given.keyId)), {
          value: { id: given.keyId, revoked: true },
          text: `Key ${given.keyId} is revoked.`
        })
      )
    )
  ]
)
