/**
 * `lead-signals listen`: a receiver for trying webhooks out. With --brand it creates a webhook while it runs;
 * with --secret it verifies the posts of an existing one.
 */
import * as Options from "@effect/cli/Options"
import { eventTypes, Retries } from "@lead-signals/domain"
import { WebhookSignature } from "@lead-signals/webhook"
import { Effect, Option } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { terminalSafeJson } from "../UntrustedText.ts"
import { listenSecretVariable, valueOf } from "../Variables.ts"
import { forward } from "../WebhookForwarder.ts"
import { formatReceivedEvent, parseFailure, makeReceiver } from "../WebhookReceiver.ts"
import { CommandProcess, type OutputStream, Failed, leaf, usage } from "@lead-signals/command-line"
import { exitCodes } from "./ExitCodes.ts"
import { callOperator, resolveOperator } from "./OperatorClient.ts"
import { brandOption, json, token, url } from "./OperatorCommand.ts"
import { events, eventsOf, postOptions, postSettingsOf } from "./WebhookOptions.ts"

const port = Options.integer("port").pipe(
  Options.withDescription("Port on 127.0.0.1; 0 picks a free one [4100, or a free one with --brand]"),
  Options.optional
)
const secret = Options.text("secret").pipe(
  Options.withDescription(
    "The webhook's secret, whsec_…, without which no signature is verified [LEAD_SIGNALS_WEBHOOK_SECRET, which no process list shows]"
  ),
  Options.optional
)
const brand = brandOption(
  "Id of a brand: creates a webhook for its events at the server, and deletes it at the end"
).pipe(Options.optional)
const failure = Options.text("fail").pipe(
  Options.withDescription("Answers posts with this status: 503:3 the first three, 503 all of them"),
  Options.optional
)

const forwardTo = Options.text("forward-to").pipe(
  Options.withDescription(
    "Also sends each verified post to this URL as it came, and answers with the status of what is there; needs --brand or a secret"
  ),
  Options.optional
)
const unverified = Options.boolean("unverified").pipe(
  Options.withDescription("With --forward-to, without a secret: sends posts on whose signature nobody checks")
)
const printed = Options.choice("print", ["line", "json"] as const).pipe(
  Options.withDescription("What is printed of a post: a line, or JSON with its body, as --json does [line]"),
  Options.optional
)

/** The URL to forward to. Null: it can't be used. */
const readTarget = (text: string): URL | null => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const target = new URL(text)
  return target.username === "" && target.password === "" ? target : null
}

const maxBodyBytes = 64 * 1024 * 1024

/** Returns null when the body is larger than any event. */
const readBody = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Receiver = ReturnType<typeof makeReceiver>

/**
 * Serves until it is interrupted, standard output closes, or `onListening` fails, which receives the
 * receiver's URL. Posts wait for the receiver: until a webhook is created, nobody knows the secret of its posts.
 */
const serveReceiver = (
  receiver: Promise<Receiver>,
  options: {
    readonly port: number
    readonly json: boolean
    /** Where posts that are not refused go, too; null: nowhere. */
    readonly forwardTo: URL | null
    readonly stdout: OutputStream
  },
  onListening: (url: string) => Effect.Effect<void, Failed>
) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      createServer((request, response) => {
        const handle = async (): Promise<void> => {
          const bytes = await readBody(request)
          if (request.method !== "POST" || bytes === null) {
            response.writeHead(request.method === "POST" ? 413 : 405, { allow: "POST" }).end()
            return
          }
          const body = bytes.toString("utf8")
          const headers = request.headers as Record<string, string | undefined>
          const judge = await receiver
          const outcome = judge({ headers, body }, Date.now())
          const isPassedOn = options.forwardTo !== null && outcome.answered < 300
          const forwarded = isPassedOn
            ? await forward(
                options.forwardTo,
                { rawHeaders: request.rawHeaders, body: bytes },
                Retries.attemptTimeoutMillis
              )
            : null
          const answered = forwarded?.status ?? outcome.answered
          const passedOn =
            forwarded === null
              ? null
              : { status: forwarded.status, error: forwarded.error, millis: forwarded.millis }
          for (const each of outcome.events) {
            const event = { ...each, answered }
            const line = options.json
              ? terminalSafeJson({ ...event, ...(passedOn === null ? {} : { forwarded: passedOn }), body })
              : formatReceivedEvent(event, forwarded)
            options.stdout.write(`${line}\n`)
          }
          if (forwarded === null) response.writeHead(answered).end()
          else response.writeHead(answered, forwarded.headers).end(forwarded.body)
        }
        handle().catch(() => response.destroy())
      })
    ),
    (server) => {
      const listenFailed = Effect.async<never, Failed>((resume) => {
        server.on("error", (error: NodeJS.ErrnoException) => {
          const why =
            error.code === "EADDRINUSE"
              ? `port ${options.port} is taken; --port takes another, or 0 for a free one`
              : (error.code ?? "unknown")
          resume(usage(`The receiver can't listen: ${why}.`))
        })
      })
      const listening = Effect.async<string>((resume) => {
        server.listen(options.port, "127.0.0.1", () =>
          resume(Effect.succeed(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
        )
      })
      // The reader of the output has gone, as in `listen | head`.
      const stdoutClosed = Effect.async<void>((resume) => {
        const end = (): void => resume(Effect.void)
        options.stdout.on("error", end)
        return Effect.sync(() => options.stdout.off("error", end))
      })
      const serving = Effect.zipRight(Effect.flatMap(listening, onListening), Effect.never)
      return Effect.raceFirst(listenFailed, Effect.raceFirst(serving, stdoutClosed))
    },
    // Closes the server in every case: open, it would keep the process running.
    (server) =>
      Effect.async<void>((done) => {
        server.close(() => done(Effect.void))
        server.closeAllConnections()
      })
  )

const printToStderr = (...lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.map(CommandProcess, ({ stderr }) => void stderr.write(`${lines.join("\n")}\n`))

const secretHint = (url: string): ReadonlyArray<string> => [
  "Without --secret no signature is verified. Creating a webhook returns its secret:",
  `  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"url":"${url}","events":${JSON.stringify(eventTypes)}}' "http://127.0.0.1:4000/operator/brands/1/webhooks"`,
  "Start the server with LEAD_SIGNALS_WEBHOOK_ALLOW=127.0.0.0/8. Or use --brand ID, which creates the webhook itself."
]

/** The server's refusal of this receiver's URL names a field that the user never gave. */
const targetRefused = (failure: Failed): Failed =>
  failure.message.startsWith("url ")
    ? new Failed({
        message: `The server may not reach this machine: restart it with LEAD_SIGNALS_WEBHOOK_ALLOW=127.0.0.0/8. It answered: ${failure.message}`
      })
    : failure

/** `lead-signals listen`. With --brand it creates a webhook for itself and deletes it as it ends. */
export const listenCommand = leaf(
  "listen",
  {
    summary: "Receives webhooks, verifies their signatures, prints each event, and forwards it",
    details: [
      "It prints all that it receives, personal data included, and is meant for trials. Start the server with",
      "LEAD_SIGNALS_WEBHOOK_ALLOW=127.0.0.0/8. The options of a webhook, such as --events and --format, are those of the one that --brand creates."
    ],
    examples: [
      ["lead-signals listen --brand 2", "creates a webhook, and prints its events"],
      ["lead-signals listen --port 4100 --secret whsec_…", "receives for a webhook that exists"],
      [
        "lead-signals listen --brand 2 --forward-to http://127.0.0.1:3000/hooks",
        "also sends them to your program"
      ],
      ["lead-signals listen --brand 2 --fail 503:3", "fails the first three posts, to show retries"],
      [
        "lead-signals listen --brand 2 --format cloudevents --max-batch 10 --max-wait 5",
        "receives arrays of CloudEvents"
      ]
    ],
    interrupted: exitCodes.done
  },
  {
    port,
    secret,
    brand,
    events,
    ...postOptions,
    failure,
    forwardTo,
    unverified,
    printed,
    url,
    token,
    json
  },
  (given) =>
    Effect.gen(function* () {
      const { env, stdout } = yield* CommandProcess
      const key = Option.getOrUndefined(given.secret) ?? valueOf(env, listenSecretVariable) ?? null
      const brandId = Option.getOrNull(given.brand)
      if (brandId !== null && Option.isSome(given.secret)) {
        return yield* usage("--brand creates a webhook with a secret of its own: leave --secret out.")
      }
      if (key !== null && WebhookSignature.parseSecret(key) === null) {
        return yield* usage("--secret takes whsec_ and the base64 of 24 to 64 bytes.")
      }
      const wanted = Option.getOrElse(given.port, () => (brandId === null ? 4100 : 0))
      if (wanted < 0 || wanted > 65535) return yield* usage("--port takes an integer from 0 to 65535.")
      const planned = Option.getOrNull(Option.map(given.failure, parseFailure))
      if (Option.isSome(given.failure) && planned === null) {
        return yield* usage(
          "--fail takes a status from 300 to 599, such as 503, or with a number of posts, such as 503:3."
        )
      }
      const target = Option.getOrNull(Option.map(given.forwardTo, readTarget))
      if (Option.isSome(given.forwardTo) && target === null) {
        return yield* usage(
          "--forward-to takes a URL like http://127.0.0.1:3000/hooks, without a user or password."
        )
      }
      if (given.unverified && (target === null || brandId !== null || key !== null)) {
        return yield* usage("--unverified goes with --forward-to, without --brand and without a secret.")
      }
      if (target !== null && brandId === null && key === null && !given.unverified) {
        return yield* usage(
          "--forward-to sends verified posts on: give --secret or --brand to verify them, or --unverified to send on whatever arrives."
        )
      }
      const isJson = given.json || Option.contains(given.printed, "json")
      if (given.json && Option.contains(given.printed, "line"))
        return yield* usage("--json and --print line exclude each other.")
      const settings = postSettingsOf(given)
      if (brandId === null && (Option.isSome(given.events) || Object.keys(settings).length > 0)) {
        return yield* usage(
          "--events, --ordering, --max-delay, --format, --max-batch and --max-wait are of the webhook that --brand creates: change one that exists by webhooks edit."
        )
      }
      const options = { port: wanted, json: isJson, forwardTo: target, stdout }
      if (brandId === null) {
        return yield* serveReceiver(
          Promise.resolve(makeReceiver({ secret: key, failure: planned })),
          options,
          (url) => printToStderr(`Listening on ${url}`, ...(key === null ? secretHint(url) : []))
        )
      }
      const operator = yield* resolveOperator(given)
      const webhooks = `/operator/brands/${encodeURIComponent(brandId)}/webhooks`
      let subscribed: string | null = null
      const created = Promise.withResolvers<Receiver>()
      const subscribe = (url: string) =>
        Effect.gen(function* () {
          const description = "lead-signals listen"
          const body = { url, events: eventsOf(given.events), description, ...settings }
          const { data } = yield* Effect.mapError(
            callOperator(operator, { method: "POST", path: webhooks, body }),
            targetRefused
          )
          subscribed = String(data.id)
          created.resolve(makeReceiver({ secret: String(data.secret), failure: planned }))
          yield* printToStderr(`Listening on ${url} for brand ${brandId}, as webhook ${subscribed}`)
        })
      const unsubscribe = Effect.suspend(() =>
        subscribed === null
          ? Effect.void
          : Effect.catchAll(
              callOperator(operator, { method: "DELETE", path: `${webhooks}/${subscribed}` }),
              ({ message }) =>
                printToStderr(
                  `Webhook ${subscribed} could not be deleted. ${message} To delete it: lead-signals webhooks delete ${subscribed} --brand ${brandId}`
                )
            )
      )
      return yield* Effect.ensuring(serveReceiver(created.promise, options, subscribe), unsubscribe)
    })
)
