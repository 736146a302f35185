/** `lead-signals brands …` and `keys …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Failed, group, leaf, usage } from "@lead-signals/command-line"
import { Decoding, NewSignal } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { duration, progress } from "../Progress.ts"
import { asking, brand, operatorOptions, table } from "./Operator.ts"

const brands = "/operator/brands"
const keysOf = (brandId: string): string => `${brands}/${encodeURIComponent(brandId)}/keys`

const name = Args.text({ name: "NAME" }).pipe(Args.withDescription("What the brand is called"))
const withKey = Options.text("key").pipe(
  Options.withDescription("Makes a key with this label, too, and prints it"),
  Options.optional
)
const watching = Options.text("watch").pipe(
  Options.withDescription("Makes a signal that watches this company's URL, too"),
  Options.optional
)

const readSignal = Decoding.decode(NewSignal, { whole: "--watch", strict: true })

/** Before anything is created: a brand without its signal would be left. */
const watchable = (body: unknown) =>
  Effect.catchAll(readSignal(body), ({ message }) =>
    usage(message.replace(/^\S+/, "--watch").replace(" for the source type li-company-url", ""))
  )

const confirm = Options.text("confirm").pipe(
  Options.withDescription("The brand's name, to say that it is this one that is to go")
)

const brandId = Args.text({ name: "BRAND-ID" }).pipe(
  Args.withDescription("Its id, as `brands list` tells it")
)

/** Calls until everything is gone. */
const deleteBrand = (deleteSome: Effect.Effect<any, Failed>) =>
  Effect.gen(function* () {
    const bar = progress(process.stderr, Date.now)
    yield* Effect.addFinalizer(() => Effect.sync(() => bar.clear()))
    const startedAt = Date.now()
    for (let first: number | null = null; ;) {
      const { deleted, leadsLeft } = (yield* deleteSome).data
      if (deleted) return
      first ??= leadsLeft as number
      const fraction = first === 0 ? 1 : 1 - leadsLeft / first
      const left = duration(((Date.now() - startedAt) / 1000) * (1 / fraction - 1))
      bar.update({ fraction, text: `${leadsLeft} leads left, ${left}` })
    }
  }).pipe(Effect.scoped)

export const brandsCommand = group(
  "brands",
  {
    summary: "The brands of a running server",
    examples: [
      ["lead-signals brands create 'My brand' --key crm --watch https://network.example/company/rival", ""]
    ]
  },
  [
    leaf(
      "list",
      { summary: "Lists them" },
      operatorOptions,
      asking((call) =>
        Effect.map(call("GET", brands), ({ data }) => ({
          value: data,
          text: table(
            ["id", "name", "created", "being deleted since"],
            data.map((each: any) => [each.id, each.name, each.createdAt, each.deletionStartedAt])
          )
        }))
      )
    ),
    leaf(
      "create",
      {
        summary: "Creates one, with a key and a signal if you like",
        details: ["The key is printed this once, and can't be had again."]
      },
      { name, key: withKey, watch: watching, ...operatorOptions },
      asking((call, given) =>
        Effect.gen(function* () {
          const label = Option.getOrNull(given.key)
          const value = Option.getOrNull(given.watch)
          const source = { type: "li-company-url", value }
          const body = { name: value, signalType: "competitor-posts", source }
          if (value !== null) yield* watchable(body)
          const { data: made } = yield* call("POST", brands, { name: given.name })
          // The key last: it is told only once, and not when something after it is refused.
          const rest = Effect.gen(function* () {
            const signal =
              value === null ? null : (yield* call("POST", `${brands}/${made.id}/signals`, body)).data
            const key = label === null ? null : (yield* call("POST", keysOf(made.id), { label })).data
            return { key, signal }
          })
          const { key, signal } = yield* Effect.mapError(
            rest,
            ({ message }) => new Failed({ message: `${message} Brand ${made.id} was made.` })
          )
          const lines = [
            `Brand ${made.id}, ${made.name}`,
            ...(key === null ? [] : [`Key ${key.id}: ${key.key}`]),
            ...(signal === null ? [] : [`Signal ${signal.id} watches ${value}`])
          ]
          return { value: { brand: made, key, signal }, text: lines.join("\n") }
        })
      )
    ),
    leaf(
      "rename",
      { summary: "Renames one" },
      { brandId, name, ...operatorOptions },
      asking((call, given) =>
        Effect.map(
          call("PATCH", `${brands}/${encodeURIComponent(given.brandId)}`, { name: given.name }),
          ({ data }) => ({ value: data, text: `Brand ${data.id} is called ${data.name}.` })
        )
      )
    ),
    leaf(
      "delete",
      {
        summary: "Deletes one with everything of it: leads, webhooks, campaigns, signals, keys",
        details: [
          "Its keys are refused at once, and nothing brings it back. The leads go some at a time, so that other brands are served",
          "meanwhile; a deletion that was interrupted goes on when the command is given again."
        ],
        examples: [["lead-signals brands delete 2 --confirm 'My brand'", ""]]
      },
      { brandId, confirm, ...operatorOptions },
      asking((call, given) =>
        Effect.gen(function* () {
          const { data: all } = yield* call("GET", brands)
          const named = all.find(({ id }: any) => id === given.brandId)
          if (named === undefined)
            return yield* new Failed({ message: `There is no brand ${given.brandId}.` })
          if (named.name !== given.confirm) {
            return yield* usage(`--confirm takes the name of brand ${named.id}; \`brands list\` tells it.`)
          }
          yield* deleteBrand(call("DELETE", `${brands}/${encodeURIComponent(named.id)}`))
          return {
            value: { id: named.id, deleted: true },
            text: `Brand ${named.id} is deleted with everything of it.`
          }
        })
      )
    )
  ]
)

const label = Args.text({ name: "LABEL" }).pipe(Args.withDescription("What it is for, like crm"))
const keyId = Args.text({ name: "KEY-ID" }).pipe(Args.withDescription("Its id, as `keys list` tells it"))
const limit = Options.integer("requests-per-minute").pipe(
  Options.withDescription("How often it may ask [the server's default]"),
  Options.optional
)

export const keysCommand = group(
  "keys",
  {
    summary: "The API keys of a brand",
    examples: [
      ["lead-signals keys create crm --brand 2", ""],
      ["lead-signals keys revoke 3 --brand 2", ""]
    ]
  },
  [
    leaf(
      "list",
      { summary: "Lists them, without their values" },
      { brand, ...operatorOptions },
      asking((call, given) =>
        Effect.map(call("GET", keysOf(given.brand)), ({ data }) => ({
          value: data,
          text: table(
            ["id", "label", "starts with", "a minute", "last used", "revoked"],
            data.map((key: any) => [
              key.id,
              key.label,
              key.start,
              key.requestsPerMinute,
              key.lastUsedAt,
              key.revokedAt
            ])
          )
        }))
      )
    ),
    leaf(
      "create",
      { summary: "Creates one", details: ["It is printed this once, and can't be had again."] },
      { label, brand, limit, ...operatorOptions },
      asking((call, given) => {
        const requestsPerMinute = Option.getOrUndefined(given.limit)
        return Effect.map(
          call("POST", keysOf(given.brand), {
            label: given.label,
            ...(requestsPerMinute === undefined ? {} : { requestsPerMinute })
          }),
          ({ data }) => ({ value: data, text: `Key ${data.id}: ${data.key}` })
        )
      })
    ),
    leaf(
      "revoke",
      { summary: "Revokes one, at once and for good" },
      { keyId, brand, ...operatorOptions },
      asking((call, given) =>
        Effect.as(call("DELETE", `${keysOf(given.brand)}/${encodeURIComponent(given.keyId)}`), {
          value: { id: given.keyId, revoked: true },
          text: `Key ${given.keyId} is revoked.`
        })
      )
    )
  ]
)
