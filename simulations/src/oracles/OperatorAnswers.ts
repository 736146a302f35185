/**
 * Every answer to the operator has the status and the body that follow from what operators asked for and the store did, at the
 * instant at which the store did it. What is shown of leads `reference` compares.
 */
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { difference } from "./Difference.ts"
import { brandShown, campaignShown, DirectoryReference, keyShown, signalShown } from "./DirectoryReference.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { outboxOf } from "./OutboxReference.ts"
import { deliveryShown, learn, logShown, pageOf, webhookShown } from "./OutboxViews.ts"
import { bodyOf, operationOf, paramsOf, queryOf } from "./Requests.ts"

/** What must be answered; `body` undefined where another oracle compares it. */
interface Expected {
  readonly status: number
  readonly body?: Json
}

const of = (status: number, data?: Json): Expected => (data === undefined ? { status } : { status, body: { data } })
const notFound: Expected = { status: 404 }
const refused: Expected = { status: 400 }
const done: Expected = { status: 204 }

const isSome = (answer: Json): boolean => answer?._tag === "Some"

const leadRoute = "/operator/brands/{brandId}/leads/{id}"
const deliveriesRoute = "/operator/brands/{brandId}/webhooks/{id}/deliveries"
const deliveryRoute = `${deliveriesRoute}/{deliveryId}`

/** How long a store may take to write a key's last use, which a kill can take with it. [AUTH-8] */
const lastUseMillis = 2000
const minuteMillis = 60_000

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const answers = checks.rule("each answer to an operator")
  const creations = checks.rule("when a thing was created")
  const uses = checks.rule("when a key was last used")
  const directory = new DirectoryReference()
  const outbox = outboxOf(facts)
  const expected = new WeakMap<Call, Expected>()
  /** The webhook as the call has read it: what is done to it later does not change what the call shows. */
  const read = new WeakMap<Call, { readonly isEnabled: boolean; readonly events: ReadonlyArray<string> }>()
  const recovered = new WeakMap<Call, number>()
  const usedAt = new WeakMap<Call, number>()

  const isClockSteady = (call: Call): boolean =>
    !facts.incidents.touched(["clock"], call.handledAt, facts.now())

  /** What a thing says of its creation lies between the beginning of the call and the commit. */
  const wrongTime = (call: Call, at: number, now: number): string | null => {
    if (!isClockSteady(call)) {
      creations.weaken("the clock was set during the call")
      return null
    }
    creations.judged++
    return at >= call.handledByClock && at <= now ? null : `${operationOf(call)}: createdAt is ${at - now} ms off`
  }

  const created = (stored: Stored & { readonly call: Call }, at: number): string | null => {
    const shown = directory.create(stored)
    if (shown === null) return `${operationOf(stored.call)} gives the id ${stored.answer.id}`
    expected.set(stored.call, of(201, shown))
    return wrongTime(stored.call, at, stored.serviceNow)
  }

  /** When a key was last used is what the store was told last, or what a kill has left of it. [AUTH-8] */
  const wrongUse = (keyId: string, shown: number | null): string | null => {
    const known = directory.keys.get(keyId)?.uses ?? []
    const newer = known.filter(({ minute }) => shown === null || minute > shown)
    if (shown !== null && !known.some(({ minute }) => minute === shown)) return `key ${keyId} was not used at ${shown}`
    if (newer.length === 0) uses.judged++
    else if (newer.every(({ at }) => facts.incidents.touched(["kill"], at, at + lastUseMillis)))
      uses.weaken("the process was killed before the use was written")
    else return `key ${keyId} was used after ${shown}`
    return null
  }

  const marked = (call: Call, keyId: string, minute: number, now: number): string | null => {
    if (call.key !== null && keyId !== call.key.id) return `key ${keyId} is said to be used, by one of ${call.key.id}`
    directory.keys.get(keyId)?.uses.push({ minute, at: facts.now() })
    if (minute % minuteMillis !== 0) return `a key's last use is ${minute}, which is no minute`
    if (!isClockSteady(call)) return null
    const begun = call.handledByClock - (call.handledByClock % minuteMillis)
    return minute >= begun && minute <= now ? null : `a use at ${now} is noted for ${minute}`
  }

  const listDeliveries = (call: Call): Json => {
    const query = queryOf(call)
    const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise)
    return { state: query.get("state"), page: number("page", 1), pageSize: Math.min(100, number("pageSize", 25)) }
  }

  const deliveryPage = (call: Call, answer: Json | null): string | null => {
    const { id } = paramsOf(call)
    const webhook = outbox.webhooks.get(id!)
    const query = listDeliveries(call)
    const isEnabled = read.get(call)?.isEnabled ?? true
    const { found, total } =
      webhook === undefined || answer === null ? { found: [], total: 0 } : pageOf(webhook, isEnabled, query)
    for (const [i, each] of found.entries()) {
      const wrong = answer.deliveries[i] === undefined ? null : learn(outbox, each, answer.deliveries[i])
      if (wrong !== null) return wrong
    }
    const { page, pageSize } = query
    expected.set(call, {
      status: 200,
      body: {
        data: found.map((each) => deliveryShown(each, isEnabled)),
        meta: { pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } }
      }
    })
    return null
  }

  const deliveryRead = (call: Call, answer: Json): string | null => {
    const { deliveryId, id } = paramsOf(call)
    const webhook = outbox.webhooks.get(id!)
    const isEnabled = read.get(call)?.isEnabled ?? true
    if (!isSome(answer)) {
      const known = webhook && outbox.delivery(webhook, deliveryId!)
      expected.set(call, notFound)
      return known === undefined ? null : `delivery ${deliveryId} is there, and is not found`
    }
    const known = webhook && outbox.delivery(webhook, deliveryId!)
    if (known === undefined) return `delivery ${deliveryId} is found, and nobody has seen it`
    const wrong = learn(outbox, known, answer.value.delivery)
    if (wrong !== null) return wrong
    if (call.route === deliveryRoute)
      expected.set(call, of(200, { ...deliveryShown(known, isEnabled), log: logShown(known) }))
    else if (known.event !== "webhook.test" && !(read.get(call)?.events ?? []).includes(known.event))
      expected.set(call, refused)
    return null
  }

  const webhookRead = (call: Call, brandId: string, id: string): void => {
    const webhook = outbox.webhooks.get(id)
    if (webhook === undefined || webhook.brandId !== brandId) {
      expected.set(call, notFound)
      return
    }
    const { enabled, events } = webhook
    read.set(call, { isEnabled: enabled, events })
    const isRefused =
      (call.route.endsWith("/test") && !enabled) ||
      (call.route === `${leadRoute}/resend` && !events.includes(bodyOf(call).event))
    if (isRefused) expected.set(call, refused)
    else if (operationOf(call) === "GET /operator/brands/{brandId}/webhooks/{id}")
      expected.set(call, of(200, webhookShown(webhook)))
  }

  const webhookChanged = (call: Call, id: string, answer: Json): void => {
    const webhook = outbox.webhooks.get(id)
    if (webhook === undefined || !isSome(answer)) expected.set(call, notFound)
    else if (call.route.endsWith("/rotate-secret")) {
      const until = new Date(webhook.previous!.until).toISOString()
      expected.set(call, of(200, { secret: webhook.current, previousSecretExpiresAt: until }))
    } else expected.set(call, of(200, webhookShown(webhook)))
  }

  const renamed = <A extends { name: string; readonly brandId?: string }>(
    call: Call,
    thing: A | undefined,
    name: string,
    view: (thing: A) => Json
  ): void => {
    if (thing !== undefined) thing.name = name
    expected.set(call, thing === undefined ? notFound : of(200, view(thing)))
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

  const stored = (fact: Stored): string | null => {
    const { answer, args, call, method, serviceNow: now } = fact
    if (call === null) return null
    const of1 = { ...fact, call }
    switch (method) {
      case "brands.create":
      case "keys.create":
      case "campaigns.create":
        return created(of1, args[0].createdAt)
      case "signals.create":
        return created(of1, args[2])
      case "webhooks.create": {
        const webhook = outbox.webhooks.get(answer.id)!
        expected.set(call, of(201, { ...webhookShown(webhook), secret: webhook.current }))
        return wrongTime(call, webhook.createdAt, now)
      }
      case "brands.get":
        if (operationOf(call) === "DELETE /operator/brands/{brandId}")
          expected.set(call, of(200, { deleted: !directory.brands.has(args[0]), leadsLeft: 0 }))
        else if (!directory.isThere(args[0])) expected.set(call, notFound)
        else if (call.route.endsWith("/observations")) expected.set(call, { status: 200 })
        return null
      case "brands.list":
        expected.set(call, of(200, [...directory.brands.values()].map(brandShown)))
        return null
      case "brands.rename":
        renamed(call, directory.brands.get(args[0]), bodyOf(call).name, brandShown)
        return null
      case "brands.startDeletion":
        if (!directory.startDeletion(args[0], args[1])) expected.set(call, notFound)
        return null
      case "brands.finishDeletion":
        if (answer === true) directory.finishDeletion(args[0])
        expected.set(call, of(200, { deleted: answer, leadsLeft: 0 }))
        return null
      case "leads.removeSome":
        expected.set(call, of(200, { deleted: false, leadsLeft: answer }))
        return null
      case "keys.list": {
        const keys = directory.of(directory.keys, args[0])
        const shown = keys.map((key, i) => keyShown(key, answer[i]?.lastUsedAt ?? null))
        expected.set(call, of(200, shown))
        for (const [i, { id }] of keys.entries()) {
          const wrong = wrongUse(id, answer[i]?.lastUsedAt ?? null)
          if (wrong !== null) return wrong
        }
        return null
      }
      case "keys.revoke": {
        const key = ofBrand(directory.keys, args[0], args[1])
        if (key !== undefined) key.revokedAt ??= args[2]
        expected.set(call, key === undefined ? notFound : done)
        return null
      }
      case "keys.findByHash":
        usedAt.set(call, now - (now % minuteMillis))
        return null
      case "keys.markUsed":
        return marked(call, args[0], args[1], now)
      case "signals.list":
        expected.set(call, of(200, directory.of(directory.signals, args[0]).map(signalShown)))
        return null
      case "signals.rename":
        renamed(call, ofBrand(directory.signals, args[0], args[1]), bodyOf(call).name, signalShown)
        facts.brandOf(args[0])?.reference.renameSignal(args[1], bodyOf(call).name)
        return null
      case "signals.delete":
        expected.set(call, directory.remove(directory.signals, args[0], args[1]) ? done : notFound)
        facts.brandOf(args[0])?.reference.deleteSignal(args[1])
        return null
      case "campaigns.list":
        if (call.request.method === "GET")
          expected.set(call, of(200, directory.of(directory.campaigns, args[0]).map(campaignShown)))
        return null
      case "campaigns.rename":
        renamed(call, ofBrand(directory.campaigns, args[0], args[1]), bodyOf(call).name, campaignShown)
        return null
      case "campaigns.delete":
        if (call.route.endsWith("/campaigns/{id}"))
          expected.set(call, directory.remove(directory.campaigns, args[0], args[1]) ? done : notFound)
        return null
      case "campaigns.putReading":
        expected.set(call, ofBrand(directory.campaigns, args[0], args[1]) === undefined ? notFound : { status: 200 })
        return null
      case "webhooks.list":
        if (call.request.method === "GET") expected.set(call, of(200, outbox.webhooksOf(args[0]).map(webhookShown)))
        return null
      case "webhooks.get":
        webhookRead(call, args[0], args[1])
        return null
      case "webhooks.update":
        webhookChanged(call, args[1], answer)
        return null
      case "webhooks.delete":
        if (call.route.endsWith("/webhooks/{id}")) expected.set(call, answer === true ? done : notFound)
        return null
      case "deliveries.list":
        return deliveryPage(call, answer)
      case "deliveries.get":
        return deliveryRead(call, answer)
      case "deliveries.queue":
        expected.set(call, isSome(answer) ? of(202, { deliveryId: answer.value }) : notFound)
        return null
      case "deliveries.recover": {
        const sum = (recovered.get(call) ?? 0) + answer
        recovered.set(call, sum)
        expected.set(call, of(202, { queued: sum }))
        return null
      }
      case "health.check":
        expected.set(call, { status: 200, body: { status: "ok", reads: true, writes: true, reason: null } })
        return null
      case "leads.get":
      case "leads.getRendered":
      case "leads.exportData":
      case "leads.update":
        if (call.key === null) expected.set(call, { status: isLeadThere(args[0], args[1]) ? 200 : 404 })
        return null
      case "leads.erase":
        // By then `reference` has forgotten the lead.
        expected.set(call, answer === true ? done : notFound)
        return null
      default:
        return null
    }
  }

  /** What needs no store, or was decided before it was asked. */
  const withoutStore = ({ call }: Answered): Expected | undefined => {
    if (call.route === "/health") return { status: 200, body: { status: "ok" } }
    if (operationOf(call) === `GET ${deliveriesRoute}` && read.has(call)) {
      deliveryPage(call, null)
      return expected.get(call)
    }
    return call.route === "/metrics" ? { status: 200 } : undefined
  }

  const ofKey = ({ call, response }: Answered): string | null => {
    const { key } = call
    const minute = usedAt.get(call)
    if (key === null || minute === undefined || response.status === 401 || response.status >= 500) return null
    if (call.struck.has("keys.markUsed")) uses.weaken("the store failed as the use was noted")
    else if (!isClockSteady(call)) uses.weaken("the clock was set during the request")
    else {
      uses.judged++
      if (!(directory.keys.get(key.id)?.uses ?? []).some((use) => use.minute >= minute))
        return `key ${key.id} is used, and the use is not noted`
    }
    return null
  }

  const answered = (fact: Answered): string | null => {
    const { body, call, response } = fact
    if (!facts.isStoreSeen || response.status >= 500) return null
    if (call.key !== null) return ofKey(fact)
    const wanted = expected.get(call) ?? withoutStore(fact)
    answers.judged++
    const what = `${call.request.method} ${call.request.url}`
    if (wanted === undefined) {
      const isRefusal = response.status >= 400 && response.status < 500
      return isRefusal && call.meaning.means === "bad"
        ? null
        : `${what} was answered ${response.status}, and nothing says so: ${response.text.slice(0, 200)}`
    }
    if (response.status !== wanted.status) {
      // What is wrong with a body is often found before it is seen that the brand is not there, or after.
      if (call.meaning.means === "bad" && response.status === 400) return null
      return `${what} was answered ${response.status}, not ${wanted.status}`
    }
    if (response.status >= 300 || wanted.body === undefined) return null
    if (operationOf(call) === "POST /operator/brands/{brandId}/keys") {
      const { key, ...shown } = body.data
      if (!/^lsk_[0-9A-Za-z]{38}$/.test(key) || !key.startsWith(shown.start)) return `${what} makes the key ${key}`
      return differs(what, { data: shown }, wanted.body)
    }
    const warned = body.meta?.warnings
    if (warned === undefined) return differs(what, body, wanted.body)
    const { warnings: _, ...meta } = body.meta
    return differs(what, { ...body, meta }, wanted.body)
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
