/** Lead Signals in a Fastify 5 application: the application's own routes, and the whole API beside them. */
import { createLeadSignals, NotFound } from "@lead-signals/embedded"
import { nodeListener } from "@lead-signals/embedded/node"
import * as MemoryStore from "@lead-signals/store-memory"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"

const operatorToken = process.env["OPERATOR_TOKEN"] ?? "a-token-of-your-own"
const leadSignals = await createLeadSignals({ store: MemoryStore.layer, operatorToken })
const api = await nodeListener(leadSignals)
const prefix = "/lead-signals"

/** Passes the raw request to the API, before Fastify reads its body. */
const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.hijack()
  request.raw.url = request.raw.url!.slice(prefix.length) || "/"
  api(request.raw, reply.raw)
}

const app = Fastify({
  // Below its path the API itself refuses a target that can't be decoded.
  frameworkErrors: (error, request, reply) => {
    if (request.raw.url!.startsWith(`${prefix}/`)) void answer(request, reply)
    else void (reply as FastifyReply).status(400).send({ message: error.message })
  }
})

// A route of the application's own calls the service without HTTP.
app.get<{ Params: { brandId: string; id: string } }>("/people/:brandId/:id", async (request) => {
  const { name, score1 } = await leadSignals.detail(request.params.brandId, Number(request.params.id))
  return { name, score1 }
})
app.setErrorHandler((failure, _request, reply) =>
  failure instanceof NotFound ? reply.status(404).send({ message: failure.message }) : reply.send(failure)
)
app.post("/echo", async (request) => request.body)

app.register(
  async (scope) => {
    scope.addHook("onRequest", answer)
    scope.all("/*", async () => {})
  },
  { prefix }
)
app.addHook("onClose", () => leadSignals.close())

console.log((await app.listen({ port: Number(process.env["PORT"] ?? 4001), host: "127.0.0.1" })) + prefix)
process.once("SIGTERM", () => void app.close())
