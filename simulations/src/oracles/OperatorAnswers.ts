/**
 * Every answer to the operator has the status and the body that follow from what operators asked for and the store did, at the
 * instant at which the store did it. What is shown of leads `reference` compares.
 */
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { accessOf } from "./AccessReference.ts"
import { withoutWarnings } from "./AgreesWithReference.ts"
import type { Checks } from "./Checks.ts"
import { difference } from "./Difference.ts"
import {
  renderedBrand,
  renderedCampaign,
  DirectoryReference,
  renderedKey,
  renderedSignal,
  renderedToken
} from "./DirectoryReference.ts"
import {
  answerOf,
  type ExpectedAnswer,
  type ExpectedAnswers,
  found,
  noContent,
  notFound,
  refused
} from "./ExpectedAnswers.ts"
import { attentionReference } from "./AttentionReference.ts"
import { auditReference } from "./AuditReference.ts"
import { usesOf } from "./KeyUses.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { isSome } from "./OutboxRecords.ts"
import { outboxOf } from "./OutboxReference.ts"
import { learnReason, renderedWebhook } from "./OutboxViews.ts"
import { SeriesReference } from "./SeriesReference.ts"
import { isViaSession, sessionRoute } from "./SessionReference.ts"
import { bodyOf, operationOf, paramsOf } from "./Requests.ts"
import { deliveriesRoute, webhookAnswers } from "./WebhookAnswers.ts"

const readsOfKeys = new Set(["GET /signals", "GET /campaigns", "GET /campaign/{id}/series"])

const metricsRoute = "/operator/brands/{brandId}/campaigns/{id}/metrics"

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const answers = checks.rule("each answer to an operator")
  const creations = checks.rule("when a thing was created")
  const series = checks.rule("each series of figures")
  const uses = usesOf(facts, checks, {
    what: "key",
    markUsed: "keys.markUsed",
    idOf: ({ key }) => key?.id ?? null
  })
  const directory = new DirectoryReference()
  const outbox = outboxOf(facts)
  const expected: ExpectedAnswers = new WeakMap()
  const ofWebhooks = webhookAnswers(outbox, expected)
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

  /** What a thing says of its creation lies between the beginning of the call and the commit. */
  const wrongTime = (call: Call, at: number, now: number): string | null => {
    if (!isClockSteady(call)) {
      creations.weaken("the clock was set during the call")
      return null
    }
    creations.judged++
    return at >= call.handledByClock && at <= now
      ? null
      : `${operationOf(call)}: createdAt is ${at - now} ms off`
  }

  const created = (call: Call, fact: Stored, at: number): string | null => {
    const rendered = directory.create(fact)
    if (rendered === null) return `${operationOf(call)} gives the id ${fact.answer.id}`
    expected.set(call, answerOf(201, rendered))
    return wrongTime(call, at, fact.process.now)
  }

  const renamed = <A extends { name: string; readonly brandId?: string }>(
    call: Call,
    thing: A | undefined,
    name: string,
    view: (thing: A) => Json
  ): void => {
    if (thing !== undefined) thing.name = name
    expected.set(call, thing === undefined ? notFound : answerOf(200, view(thing)))
  }

  const ofBrand = <A extends { readonly brandId: string }>(
    things: ReadonlyMap<string, A>,
    brandId: string,
    id: string
  ): A | undefined => {
    const thing = things.get(id)
    return thing?.brandId === brandId ? thing : undefined
  }

  const isLeadThere = (brandId: string, id: number): boolean =>
    facts.brandOf(brandId)?.reference.rows.some((row) => row.id === id) ?? false

  const expectFigures = (call: Call, body: Json): void => {
    if (body === null) {
      series.weaken("an interval began during the call, or nobody knows what the brand has")
      facts.compared.add(call)
    } else series.judged++
    expected.set(call, body === null ? found : { status: 200, body })
  }

  const stored = (fact: Stored): string | null => {
    const {
      answer,
      args,
      call,
      method,
      process: { now }
    } = fact
    if (call === null) return null
    attention.stored(fact)
    if (method.startsWith("webhooks.")) {
      const rendered: ReadonlyArray<Json> = Array.isArray(answer)
        ? answer
        : isSome(answer)
          ? [answer.value]
          : []
      for (const each of rendered) {
        const wrong = learnReason(outbox.webhooks.get(each.id), each)
        if (wrong !== null) return wrong
      }
    }
    switch (method) {
      case "brands.create":
      case "keys.create":
      case "accessTokens.create":
      case "campaigns.create":
        return created(call, fact, args[0].createdAt)
      case "signals.create":
        return created(call, fact, args[2])
      case "webhooks.create": {
        const webhook = outbox.webhooks.get(answer.id)!
        expected.set(call, answerOf(201, { ...renderedWebhook(webhook), secret: webhook.current }))
        return wrongTime(call, webhook.createdAt, now)
      }
      case "brands.get":
        if (operationOf(call) === "DELETE /operator/brands/{brandId}")
          expected.set(call, answerOf(200, { deleted: !directory.brands.has(args[0]), leadsLeft: 0 }))
        else if (!directory.isThere(args[0])) expected.set(call, notFound)
        else if (call.route.endsWith("/observations"))
          expected.set(call, bodyOf(call).observations?.length === 0 ? answerOf(200, []) : found)
        return null
      case "brands.list":
        expected.set(
          call,
          answerOf(
            200,
            [...directory.brands.values()]
              .filter(({ id }) => access.brandIdsOf(call)?.includes(id) ?? true)
              .map(renderedBrand)
          )
        )
        return null
      case "brands.rename":
        renamed(call, directory.brands.get(args[0]), bodyOf(call).name, renderedBrand)
        return null
      case "brands.startDeletion":
        if (!directory.startDeletion(args[0], args[1])) expected.set(call, notFound)
        return null
      case "brands.finishDeletion":
        if (answer === true) directory.finishDeletion(args[0])
        expected.set(call, answerOf(200, { deleted: answer, leadsLeft: 0 }))
        return null
      case "leads.removeSome":
        expected.set(call, answerOf(200, { deleted: false, leadsLeft: answer }))
        return null
      case "keys.list": {
        // What a process counts in memory is not the store's.
        if (call.route.endsWith("/attention")) {
          expected.set(call, found)
          return null
        }
        const keys = directory.of(directory.keys, args[0])
        const rendered = keys.map((key, i) => renderedKey(key, answer[i]?.lastUsedAt ?? null))
        expected.set(call, answerOf(200, rendered))
        for (const [i, { id }] of keys.entries()) {
          const wrong = uses.rendered(id, answer[i]?.lastUsedAt ?? null)
          if (wrong !== null) return wrong
        }
        return null
      }
      case "keys.revoke": {
        const key = ofBrand(directory.keys, args[0], args[1])
        if (key !== undefined) key.revokedAt ??= args[2]
        expected.set(call, key === undefined ? notFound : noContent)
        return null
      }
      case "accessTokens.findByHash":
        tokenUses.lookUp(call, now)
        return null
      case "accessTokens.markUsed":
        return tokenUses.note(call, args[0], args[1], now)
      case "accessTokens.list":
        for (const [i, { id }] of [...directory.tokens.values()].entries()) {
          const wrong = tokenUses.rendered(id, answer[i]?.lastUsedAt ?? null)
          if (wrong !== null) return wrong
        }
        if (call.route === "/operator/tokens")
          expected.set(
            call,
            answerOf(
              200,
              [...directory.tokens.values()].map((token, i) =>
                renderedToken(token, answer[i]?.lastUsedAt ?? null)
              )
            )
          )
        return null
      case "accessTokens.revoke": {
        const token = directory.tokens.get(args[0])
        if (token !== undefined) token.revokedAt ??= args[1]
        expected.set(call, token === undefined ? notFound : noContent)
        return null
      }
      case "auditLog.append":
        return audit.appended(call, answer, args[0])
      case "auditLog.complete":
        return audit.completed(args[0], args[1])
      case "auditLog.list": {
        const misread = audit.listed(call, args[0], answer)
        expected.set(call, {
          status: 200,
          body: audit.pageOf(
            call,
            answer.map(({ id }: Json) => id),
            (tokenId) => directory.tokens.get(tokenId)?.name ?? null
          )
        })
        return misread
      }
      case "keys.findByHash":
        uses.lookUp(call, now)
        return null
      case "keys.markUsed":
        return uses.note(call, args[0], args[1], now)
      case "signals.list":
        expected.set(call, answerOf(200, directory.of(directory.signals, args[0]).map(renderedSignal)))
        return null
      case "signals.rename":
        renamed(call, ofBrand(directory.signals, args[0], args[1]), bodyOf(call).name, renderedSignal)
        if (isSome(answer)) facts.brandOf(args[0])?.reference.renameSignal(args[1], bodyOf(call).name)
        return null
      case "signals.delete":
        expected.set(call, directory.remove(directory.signals, args[0], args[1]) ? noContent : notFound)
        facts.brandOf(args[0])?.reference.deleteSignal(args[1])
        return null
      case "campaigns.list":
        if (call.request.method === "GET")
          expected.set(call, answerOf(200, directory.of(directory.campaigns, args[0]).map(renderedCampaign)))
        return null
      case "campaigns.rename":
        renamed(call, ofBrand(directory.campaigns, args[0], args[1]), bodyOf(call).name, renderedCampaign)
        return null
      case "campaigns.delete":
        if (call.route.endsWith("/campaigns/{id}"))
          expected.set(call, directory.remove(directory.campaigns, args[0], args[1]) ? noContent : notFound)
        return null
      case "campaigns.putReading":
        expected.set(call, ofBrand(directory.campaigns, args[0], args[1]) === undefined ? notFound : found)
        return null
      case "campaigns.snapshot":
        // Answers a reading that was put, or an operator's metrics, whose figures `reference` judges as it does those of keys.
        if (ofBrand(directory.campaigns, args[0], args[1]) === undefined) expected.set(call, notFound)
        else if (operationOf(call) === `GET ${metricsRoute}`) expected.set(call, found)
        return null
      case "campaigns.dayChanges":
      case "campaigns.posts": {
        const isThere = ofBrand(directory.campaigns, args[0], args[1]) !== undefined
        const campaign = facts.brandOf(args[0])?.campaign
        if (!isThere || campaign?.id !== args[1]) expected.set(call, isThere ? found : notFound)
        else
          expectFigures(
            call,
            method === "campaigns.posts"
              ? SeriesReference.posts(campaign!)
              : SeriesReference.campaign(call, campaign!, now)
          )
        return null
      }
      case "webhooks.list":
        if (call.request.method === "GET")
          expected.set(call, answerOf(200, outbox.webhooksOf(args[0]).map(renderedWebhook)))
        return null
      case "webhooks.get":
        ofWebhooks.webhookRead(call, args[0], args[1])
        return null
      case "webhooks.update":
        ofWebhooks.webhookChanged(call, args[1], answer)
        return null
      case "webhooks.delete":
        if (call.route.endsWith("/webhooks/{id}")) expected.set(call, answer === true ? noContent : notFound)
        return null
      case "deliveries.list":
        return ofWebhooks.deliveryPage(call, answer)
      case "deliveries.get":
        return ofWebhooks.deliveryRead(call, answer)
      case "deliveries.queue":
        // What must be refused is refused also when it was queued.
        if (expected.get(call) !== refused)
          expected.set(call, isSome(answer) ? answerOf(202, { deliveryId: answer.value }) : notFound)
        return null
      case "deliveries.recover":
        ofWebhooks.deliveriesRecovered(call, answer)
        return null
      case "health.check":
        expected.set(call, { status: 200, body: { status: "ok", reads: true, writes: true, reason: null } })
        return null
      case "leads.counts": {
        const brand = facts.brandOf(args[0])
        expectFigures(call, brand === undefined ? null : SeriesReference.counts(call, brand.reference, now))
        return null
      }
      case "deliveries.counts":
        expectFigures(call, SeriesReference.deliveries(call, outbox.webhooksOf(args[0]), now))
        return null
      case "leads.eventsAfter":
        expected.set(call, found)
        return null
      case "leads.changesAfter":
      case "leads.list":
      case "leads.listRendered":
        if (call.key === null) expected.set(call, found)
        return null
      case "leads.get":
      case "leads.getRendered":
      case "leads.exportData":
      case "leads.update":
        // A call that sends an event again looks only for what to say is missing.
        if (call.key === null && !call.route.endsWith("/resend"))
          expected.set(call, { status: isLeadThere(args[0], args[1]) ? 200 : 404 })
        return null
      case "leads.erase":
        // By then `reference` has forgotten the lead.
        expected.set(call, answer === true ? noContent : notFound)
        return null
      default:
        return null
    }
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

  const answered = (fact: Answered): string | null => {
    const { body, call, response } = fact
    if (!facts.isStoreSeen || response.status >= 500) return null
    const unaudited = audit.answered(fact)
    if (unaudited !== null) return unaudited
    attention.count(fact)
    // `sessions hold` judges these.
    if (call.route === sessionRoute) return null
    if (isViaSession(call) && access.isUnclear(call, fact.byClock)) return null
    if (call.key !== null) return uses.answered(fact) ?? readByKey(fact)
    const unused = tokenUses.answered(fact)
    if (unused !== null) return unused
    // `access decided` judges how it is refused.
    if (access.isRefused(call, response.status)) return null
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
      return isRefusal && call.meaning.means === "bad"
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
