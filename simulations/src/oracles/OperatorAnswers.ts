/**
 * Every answer to the operator has the status and the body that follow from what operators asked for and the store did, at the
 * instant at which the store did it. What is shown of leads `reference` compares.
 */
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { accessOf } from "./AccessReference.ts"
import type { Checks } from "./Checks.ts"
import { difference } from "./Difference.ts"
import { directoryAnswers } from "./DirectoryAnswers.ts"
import { DirectoryReference } from "./DirectoryReference.ts"
import {
  answerOf,
  type ExpectedAnswer,
  type ExpectedAnswers,
  type Expectations,
  found,
  noContent,
  notFound,
  type StoredForCall
} from "./ExpectedAnswers.ts"
import { figureAnswers } from "./FigureAnswers.ts"
import { attentionReference } from "./AttentionReference.ts"
import { auditReference } from "./AuditReference.ts"
import { usesOf } from "./KeyUses.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { isSome } from "./OutboxRecords.ts"
import { outboxOf } from "./OutboxReference.ts"
import { learnReason, renderedWebhook } from "./OutboxViews.ts"
import { isViaSession, sessionRoute } from "./SessionReference.ts"
import { bodyOf, isTooSlow, operationOf, paramsOf } from "./Requests.ts"
import { deliveriesRoute, webhookAnswers } from "./WebhookAnswers.ts"
import { withoutWarnings } from "./Warnings.ts"

const readsOfKeys = new Set(["GET /signals", "GET /campaigns", "GET /campaign/{id}/series"])

/** When a key, a token or a brand ends by the call; null for any other call of the store. */
const endOf = ({ args, method }: Stored): number | null => {
  if (method === "keys.revoke") return args[2]
  return method === "accessTokens.revoke" || method === "brands.startDeletion" ? args[1] : null
}

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const answers = checks.rule("each answer to an operator")
  const creations = checks.rule("when a thing was created")
  const directory = new DirectoryReference()
  const outbox = outboxOf(facts)
  const expected: ExpectedAnswers = new WeakMap()
  const ofFigures = figureAnswers({ facts, directory, outbox }, checks, expected)
  const ofWebhooks = webhookAnswers(outbox, expected)
  const uses = usesOf(facts, checks, {
    what: "key",
    markUsed: "keys.markUsed",
    idOf: ({ key }) => key?.id ?? null
  })
  const access = accessOf(facts)
  const tokenUses = usesOf(facts, checks, {
    what: "token",
    markUsed: "accessTokens.markUsed",
    idOf: (call) => {
      const grant = access.grantOf(call)
      return grant?.kind === "token" ? grant.id : null
    }
  })
  const audit = auditReference(facts, checks, access)
  const attention = attentionReference(facts, checks)

  const isClockSteady = (call: Call): boolean =>
    !facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy)

  /** What a thing says of its creation, or of its end, lies between the beginning of the call and the commit. */
  const wrongTime = (call: Call, at: number, now: number): string | null => {
    if (!isClockSteady(call)) {
      creations.weaken("the clock was set during the call")
      return null
    }
    creations.judged++
    return at >= call.handledByClock && at <= now
      ? null
      : `${operationOf(call)}: the time that is kept is ${at - now} ms off`
  }

  const created = (call: Call, fact: Stored, at: number): string | null => {
    const rendered = directory.create(fact)
    if (rendered === null) return `${operationOf(call)} gives the id ${fact.answer.id}`
    expected.set(call, answerOf(201, rendered))
    return wrongTime(call, at, fact.process.now)
  }

  const isLeadThere = (brandId: string, id: number): boolean =>
    facts.brandOf(brandId)?.reference.rows.some((row) => row.id === id) ?? false

  const learnReasons = (answer: Json): string | null => {
    const rendered: ReadonlyArray<Json> = Array.isArray(answer)
      ? answer
      : isSome(answer)
        ? [answer.value]
        : []
    for (const each of rendered) {
      const wrong = learnReason(outbox.webhooks.get(each.id), each)
      if (wrong !== null) return wrong
    }
    return null
  }

  const expectLead = ({ args, call }: StoredForCall): null => {
    // A call that sends an event again looks only for what to say is missing.
    if (call.key === null && !call.route.endsWith("/resend"))
      expected.set(call, { status: isLeadThere(args[0], args[1]) ? 200 : 404 })
    return null
  }

  const expectLeads = ({ call }: StoredForCall): null => {
    if (call.key === null) expected.set(call, found)
    return null
  }

  const createdAtOf = (fact: StoredForCall): string | null => created(fact.call, fact, fact.args[0].createdAt)

  const expectations: Expectations = {
    ...directoryAnswers({ facts, directory, access, keyUses: uses, tokenUses }, expected),
    ...ofFigures,
    "brands.create": createdAtOf,
    "keys.create": createdAtOf,
    "accessTokens.create": createdAtOf,
    "campaigns.create": createdAtOf,
    "signals.create": (fact) => created(fact.call, fact, fact.args[2]),
    "webhooks.create": ({ answer, call, process }) => {
      const webhook = outbox.webhooks.get(answer.id)!
      expected.set(call, answerOf(201, { ...renderedWebhook(webhook), secret: webhook.current }))
      return wrongTime(call, webhook.createdAt, process.now)
    },
    "keys.findByHash": ({ call, process }) => {
      uses.lookUp(call, process.now)
      return null
    },
    "keys.markUsed": ({ args, call, process }) => uses.note(call, args[0], args[1], process.now),
    "accessTokens.findByHash": ({ call, process }) => {
      tokenUses.lookUp(call, process.now)
      return null
    },
    "accessTokens.markUsed": ({ args, call, process }) => tokenUses.note(call, args[0], args[1], process.now),
    "auditLog.append": ({ answer, args, call, process }) =>
      audit.appended(call, answer, args[0], process.now),
    "auditLog.complete": ({ args }) => audit.completed(args[0], args[1]),
    "auditLog.list": ({ answer, args, call }) => {
      const misread = audit.listed(call, args[0], answer)
      const ids = answer.map(({ id }: Json) => id)
      const nameOf = (tokenId: string): string | null => directory.tokens.get(tokenId)?.name ?? null
      expected.set(call, { status: 200, body: audit.pageOf(call, ids, nameOf) })
      return misread
    },
    "health.check": ({ call }) => {
      expected.set(call, { status: 200, body: { status: "ok", reads: true, writes: true, reason: null } })
      return null
    },
    ...ofWebhooks.expectations,
    "leads.eventsAfter": ({ call }) => {
      expected.set(call, found)
      return null
    },
    "leads.changesAfter": ({ answer, call }) => {
      // `feed of changes` judges whether it has.
      if (call.key === null) expected.set(call, answer.isExpired ? { status: 410 } : found)
      return null
    },
    "leads.list": expectLeads,
    "leads.listRendered": expectLeads,
    "leads.get": expectLead,
    "leads.getRendered": expectLead,
    "leads.exportData": expectLead,
    "leads.update": expectLead,
    "leads.erase": ({ answer, call }) => {
      // By then `reference` has forgotten the lead.
      expected.set(call, answer === true ? noContent : notFound)
      return null
    }
  }

  const stored = (fact: Stored): string | null => {
    const { answer, call, method } = fact
    if (call === null) return null
    if (call.route === "/health") return `GET /health asks the store for ${method}`
    attention.stored(fact)
    const unentered = audit.changes(call, method)
    if (unentered !== null) return unentered
    const endedAt = endOf(fact)
    const mistimed = endedAt === null ? null : wrongTime(call, endedAt, fact.process.now)
    if (mistimed !== null) return mistimed
    const wrong = method.startsWith("webhooks.") ? learnReasons(answer) : null
    return wrong ?? expectations[method]?.({ ...fact, call }) ?? null
  }

  /** What needs no store, or was decided before it was asked. */
  const withoutStore = ({ call }: Answered): ExpectedAnswer | undefined => {
    if (call.route === "/health") return { status: 200, body: { status: "ok" } }
    if (operationOf(call) === `GET ${deliveriesRoute}` && ofWebhooks.hasRead(call)) {
      ofWebhooks.deliveryPage(call, null)
      return expected.get(call)
    }
    return call.route === "/metrics" ? { status: 200 } : undefined
  }

  /** What keys read of the directory and of figures over time is what operators read. */
  const readByKey = ({ body, call, response }: Answered): string | null => {
    const wanted = readsOfKeys.has(operationOf(call)) ? expected.get(call) : undefined
    if (wanted === undefined || (response.status !== 200 && response.status !== 404)) return null
    const what = `${call.request.method} ${call.request.url}`
    answers.judged++
    if (response.status !== wanted.status)
      return `${what} was answered ${response.status}, not ${wanted.status}`
    if (response.status !== 200 || wanted.body === undefined) return null
    facts.compared.add(call)
    return differs(what, withoutWarnings(body), wanted.body)
  }

  /** Whether a credential was refused because its end had come when it was to be made; nobody can say where the clock was set meanwhile. [AUTH-12] */
  const hasEnded = ({ body, byClock, call, response }: Answered): boolean => {
    if (response.status !== 400 || !body?.error?.message?.startsWith("expiresAt ")) return false
    const end = Date.parse(bodyOf(call)?.expiresAt)
    return (
      end <= Math.max(byClock, call.handledByClock, facts.now()) ||
      (!Number.isNaN(end) && facts.incidents.touched(["clock"], call.handledAt, facts.now(), call.handledBy))
    )
  }

  const answered = (fact: Answered): string | null => {
    const { body, call, response } = fact
    attention.count(fact)
    audit.noteFailure(fact)
    // It says that the process lives, whatever becomes of the store. [HEALTH-1]
    if (call.route === "/health" && call.meaning.means !== "bad" && response.status !== 200)
      return `GET /health was answered ${response.status}`
    if (!facts.isStoreSeen || response.status >= 500) return null
    const unaudited = audit.answered(fact)
    if (unaudited !== null) return unaudited
    // `sessions hold` judges these.
    if (call.route === sessionRoute) return null
    if (isViaSession(call) && access.isUnclear(call, fact.byClock)) return null
    if (call.key !== null) return uses.answered(fact) ?? readByKey(fact)
    const unused = tokenUses.answered(fact)
    if (unused !== null) return unused
    // `access decided` judges how it is refused.
    if (access.isRefused(call, response.status)) return null
    // `errors clear` says which body comes too slowly.
    if (isTooSlow(fact)) return null
    const wanted = expected.get(call) ?? withoutStore(fact)
    answers.judged++
    const { brandId } = call.route.includes("{brandId}") ? paramsOf(call) : {}
    const miscounted = attention.wrong(
      fact,
      brandId === undefined ? [] : directory.of(directory.keys, brandId)
    )
    if (miscounted !== null) return miscounted
    const what = `${call.request.method} ${call.request.url}`
    if (wanted === undefined) {
      // A key's call that does nothing is judged by `idempotency holds`.
      if (call.request.unusual?.idempotencyKey !== undefined) return null
      const isRefusal = response.status >= 400 && response.status < 500
      return (isRefusal && call.meaning.means === "bad") || hasEnded(fact)
        ? null
        : `${what} was answered ${response.status}, and nothing says so: ${response.text.slice(0, 200)}`
    }
    if (response.status !== wanted.status) {
      // What is wrong with a body is often found before it is seen that the brand is not there, or after: `errors clear` compares it.
      if (call.meaning.means === "bad" && response.status === call.expects?.status) return null
      return `${what} was answered ${response.status}, not ${wanted.status}`
    }
    if (response.status >= 300 || wanted.body === undefined) return null
    facts.compared.add(call)
    if (operationOf(call) === "POST /operator/brands/{brandId}/keys") {
      const { key, ...rendered } = body.data
      if (!/^lsk_[0-9A-Za-z]{38}$/.test(key) || !key.startsWith(rendered.start))
        return `${what} makes the key ${key}`
      return differs(what, { data: rendered }, wanted.body)
    }
    if (operationOf(call) === "POST /operator/tokens") {
      const { token, ...rendered } = body.data
      if (!/^lst_[0-9A-Za-z]{38}$/.test(token) || !token.startsWith(rendered.start))
        return `${what} makes the token ${token}`
      return differs(what, { data: rendered }, wanted.body)
    }
    return differs(what, withoutWarnings(body), wanted.body)
  }
  return { stored, answered }
}

const differs = (what: string, body: Json, wanted: Json): string | null => {
  const [actual, right] = [JSON.stringify(body), JSON.stringify(wanted)]
  return actual === right ? null : `${what}: ${difference(actual, right)}`
}

/** [OPER-2, OPER-3, OPER-6, DELIV-4, DELIV-5, DELIV-8, AUTH-4, AUTH-8, HEALTH-1, HEALTH-3] */
export const operatorAnswers: Oracle = {
  name: "operator's answers",
  instantiate: instance
}
