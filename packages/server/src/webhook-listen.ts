/** `pnpm webhook-listen [--port] [--secret] [--fail 503:3]`: the command line of the receiver for trying things out. */
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import { Signing } from "@lead-signals/webhook"
import { Effect, Option } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { fail, runCommand, usageExitCode } from "./CommandLine.ts"
import { line, parseFailure, receiver } from "./Listen.ts"

const exitCodes = { stopped: 0, usage: usageExitCode, failed: 3 }

const port = Options.integer("port").pipe(
  Options.withDescription("Where to listen on 127.0.0.1; 0 picks a free one"),
  Options.withDefault(4100)
)
const secret = Options.text("secret").pipe(
  Options.withDescription(
    "The webhook's secret, whsec_…; LEAD_SIGNALS_WEBHOOK_SECRET otherwise, which no process list shows. Without one nothing is verified"
  ),
  Options.optional
)
const failure = Options.text("fail").pipe(
  Options.withDescription(
    "Answers the first so many posts with a status, like 503:3; 503 alone answers all so"
  ),
  Options.optional
)
const json = Options.boolean("json").pipe(Options.withDescription("Print each post as one line of JSON"))

const greatestBodyBytes = 64 * 1024 * 1024

/** Null when it is larger than any event is. */
const readBody = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > greatestBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const listen = (
  judge: ReturnType<typeof receiver>,
  options: { readonly port: number; readonly json: boolean; readonly hasSecret: boolean }
) =>
  Effect.async<void>((resume) => {
    const server = createServer((request, response) => {
      readBody(request).then(
        (body) => {
          if (request.method !== "POST" || body === null) {
            response.writeHead(request.method === "POST" ? 413 : 405, { allow: "POST" }).end()
            return
          }
          const headers = request.headers as Record<string, string | undefined>
          const outcome = judge({ headers, body }, Date.now())
          process.stdout.write(`${options.json ? JSON.stringify({ ...outcome, body }) : line(outcome)}\n`)
          response.writeHead(outcome.answered).end()
        },
        () => response.destroy()
      )
    })
    server.on("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE"
          ? `port ${options.port} is taken; --port takes another, or 0 for a free one`
          : (error.code ?? "unknown")
      resume(fail(`Can't listen: ${why}.`, exitCodes.failed))
    })
    server.listen(options.port, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const hint = options.hasSecret
        ? []
        : [
            "Nothing is verified without --secret. The answer to creating the webhook has it:",
            `  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"url":"${url}","events":["lead2.created","activity.detected"]}' "http://127.0.0.1:4000/operator/brands/1/webhooks"`,
            "The server has to be started with LEAD_SIGNALS_WEBHOOK_ALLOW=127.0.0.0/8."
          ]
      process.stderr.write(`${[`Listening on ${url}`, ...hint].join("\n")}\n`)
    })
    return Effect.async<void>((done) => {
      server.closeAllConnections()
      server.close(() => done(Effect.void))
    })
  })

const command = Command.make("webhook-listen", { port, secret, failure, json }, (given) =>
  Effect.suspend(() => {
    const key = Option.getOrUndefined(given.secret) ?? process.env["LEAD_SIGNALS_WEBHOOK_SECRET"] ?? null
    if (key !== null && Signing.keyOf(key) === null) {
      return fail("--secret takes whsec_ and the base64 of 24 to 64 bytes.", exitCodes.usage)
    }
    if (given.port < 0 || given.port > 65535) {
      return fail("--port takes an integer from 0 to 65535.", exitCodes.usage)
    }
    const planned = Option.getOrNull(Option.map(given.failure, parseFailure))
    if (Option.isSome(given.failure) && planned === null) {
      return fail("--fail takes a status from 300 to 599 and how often, like 503:3.", exitCodes.usage)
    }
    return listen(receiver({ secret: key, failure: planned }), {
      port: given.port,
      json: given.json,
      hasSecret: key !== null
    })
  })
).pipe(
  Command.withDescription(
    HelpDoc.blocks([
      HelpDoc.p("Receives webhooks, verifies their signatures, and prints each event."),
      HelpDoc.p("It prints what it is sent, personal data and all: it is for trying things out."),
      HelpDoc.p("Exit codes: 0 stopped, 2 wrong usage, 3 the port can't be listened on.")
    ])
  )
)

runCommand(command, "webhook-listen")
