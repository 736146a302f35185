/**
 * What a fixture holds: content of every kind, put in by calls of the operator API that each version has since it has the feature, and
 * what the version itself answers about it. A call that a version does not know is left out, with 404 or 405.
 */

/** What a call answers: the status, and the body or null. */
interface Answer {
  readonly status: number
  // Bodies are compared as they are.
  readonly body: any
}

/** Calls a server, or a handler in this process. */
export type Call = (
  method: string,
  path: string,
  token: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>
) => Promise<Answer>

/** A call with an Idempotency-Key, which gets the same answer again. */
interface Repeated {
  readonly path: string
  readonly key: string
  readonly request: unknown
  readonly status: number
  readonly body: unknown
}

/** A credential that opens a part, and the status of a `GET` with it. */
interface Limited {
  readonly token: string
  readonly path: string
  readonly status: number
}

/** What a version answered: the tokens that open it, and the bodies by path. */
export interface Answers {
  /** A key of each brand, by the brand's id. */
  readonly keys: Readonly<Record<string, string>>
  /** A key that was revoked. */
  readonly revoked: string
  /** External ids of persons who were erased, in the first brand. */
  readonly erased: ReadonlyArray<string>
  /** Answers of a version that knows Idempotency-Keys. */
  readonly repeated?: ReadonlyArray<Repeated>
  /** Tokens of a version that has tokens of operators. */
  readonly limited?: ReadonlyArray<Limited>
  /** By path: `GET` with the operator's token, or with the brand's key where the path has no `/operator`. */
  readonly bodies: ReadonlyArray<{ readonly path: string; readonly brandId: string; readonly body: unknown }>
}

/** Texts that have broken programs: quotes, markup, wide and combining characters, case folding, directions, lengths. */
const names: ReadonlyArray<string> = [
  "Ada Example",
  `Ünal "Ü" O'Neil`,
  "Robert'); DROP TABLE lead;--",
  "<script>alert(1)</script> & Söhne",
  "İstanbul Straße Ǆ",
  "ﬀ ligature Ⅷ",
  "👩‍👩‍👧‍👦 Family 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "\u202Eright to left",
  "A\u030A combining e\u0301",
  '%_*\\ "phrase" OR NEAR(a b) -x',
  "名前 日本語 ﾊﾝｶｸ",
  "محمد \u0000 null",
  "Ada Example",
  "ada example",
  "Longest ".repeat(400).trim(),
  "Erased Person",
  "Erased Author",
  "\u{10FFFF} \uFEFF mark"
]

const day = 86_400_000
const begin = Date.UTC(2025, 10, 1, 23, 59, 59, 999)
const time = (n: number): string => new Date(begin + n * 7 * 3_600_000).toISOString()

const company = (n: number) => ({
  id: 100 + n,
  name: `Company № ${n} "GmbH & Co."`,
  domain: `company-${n}.example`,
  staffCount: n * 1000,
  description: n % 2 === 0 ? null : "Line one\nline two"
})

const engagementTypes = ["comment", "reaction", "repost", null] as const

/** The observations of a brand: each person once or more, out of order, some fields missing. */
const observationsOf = (signalIds: ReadonlyArray<string>, persons: ReadonlyArray<string>, from: number) =>
  persons.flatMap((name, n) =>
    Array.from({ length: 1 + (n % 3) }, (_, i) => ({
      signalId: signalIds[(n + i) % signalIds.length]!,
      person: {
        extId: `person-${n}${n === 2 ? " ' ü" : ""}`,
        name: i === 0 ? name : `${name}`,
        headline: n % 4 === 0 ? null : `Head of ${name.slice(0, 100)} №${i}`,
        username: n % 5 === 0 ? undefined : `user${n}`,
        title1: n % 2 === 0 ? "Buyer" : null,
        company: n % 3 === 0 ? company(n) : undefined
      },
      engagement: {
        id: `engagement-${from}-${n}-${i}`,
        type: engagementTypes[(n + i) % engagementTypes.length],
        reactionType: "like",
        commentText: `<p>Where can I get <b>it</b>, ${name.slice(0, 60)}?</p>\n&amp; more`,
        postUrl: `https://network.example/posts/${n % 4}`,
        postContent: n % 2 === 0 ? `A post about “${n}”` : null,
        postPostedAt: n % 2 === 0 ? time(-n) : null,
        postAuthor: "Erased Author",
        postAuthorDetail: n % 3 === 0 ? { extId: "person-16", name: "Erased Author", headline: "x" } : null,
        emittedAt: n % 2 === 0 ? time(n) : null,
        trackedAt: time(from + n * 3 - i)
      }
    }))
  )

const isUnknown = ({ status }: Answer): boolean => status === 404 || status === 405

/** A call that has to succeed; null where the version does not know it. */
const caller =
  (call: Call, token: string) =>
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await call(method, path, token, body)
    if (isUnknown(answer)) return null
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body?.data ?? null
  }

/** A call that a version may not know: 404 and 405 say so, and 400 where it lacks a field. */
const newer =
  (call: Call, token: string) =>
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await call(method, path, token, body)
    return answer.status === 400 ? null : caller(async () => answer, token)(method, path, body)
  }

interface Filled {
  readonly brandIds: ReadonlyArray<string>
  readonly keys: Readonly<Record<string, string>>
  readonly revoked: string
  readonly erased: ReadonlyArray<string>
  readonly repeated: ReadonlyArray<Repeated>
  /** Tokens and keys that open a part, each with paths that it opens or not. */
  readonly credentials: ReadonlyArray<readonly [token: string, paths: ReadonlyArray<string>]>
}

/** Long after every test. */
const farExpiry = "2199-12-31T23:59:59.999Z"

/** Tokens and keys with everything that limits one. */
const makeCredentials = async (
  call: Call,
  token: string,
  brandId: string
): Promise<Filled["credentials"]> => {
  const send = newer(call, token)
  const operatorPaths = ["/operator/brands", `/operator/brands/${brandId}/leads`, "/operator/tokens"]
  const keyPaths = ["/signals/leads", "/campaign/1/metrics?startDate=2025-10-01&endDate=2025-12-01"]
  const made: Array<readonly [string, ReadonlyArray<string>]> = []
  const tokens = [
    { name: "collector", scopes: ["ingest"], brandIds: [brandId] },
    { name: "reader ü", scopes: ["read", "webhooks"], expiresAt: farExpiry },
    { name: "gone", scopes: ["admin"] }
  ]
  for (const [n, body] of tokens.entries()) {
    const created = await send("POST", "/operator/tokens", body)
    if (created === null) continue
    made.push([created.token, operatorPaths])
    if (n === 2) await send("DELETE", `/operator/tokens/${created.id}`)
  }
  for (const limits of [
    { scopes: ["metrics"] },
    { scopes: ["leads"], expiresAt: farExpiry },
    { allowedAddresses: ["192.0.2.0/24", "2001:db8::1"] }
  ]) {
    const label = Object.keys(limits).join(" and ")
    const created = await send("POST", `/operator/brands/${brandId}/keys`, { label, ...limits })
    if (created !== null) made.push([created.key, keyPaths])
  }
  return made
}

/** Makes calls with a key, one that succeeds and one that is refused, and keeps those that the version answers the same again. */
const makeRepeated = async (call: Call, token: string, brandId: string): Promise<Filled["repeated"]> => {
  const repeated: Array<Repeated> = []
  const path = `/operator/brands/${brandId}/campaigns`
  for (const [n, request] of [{ name: "Once and no more “☕”" }, { name: 1 }].entries()) {
    const key = `key-of-the-fixtures-${n}`
    const headers = { "idempotency-key": `"${key}"` }
    const first = await call("POST", path, token, request, headers)
    const second = await call("POST", path, token, request, headers)
    if (n === 0 && first.body.data.id !== second.body.data.id) return []
    repeated.push({ path, key, request, status: first.status, body: first.body })
  }
  return repeated
}

/** What a webhook has that chose more than a URL and events. */
const sendings: ReadonlyArray<readonly [path: string, fields: object]> = [
  ["/ordered", { ordering: "lead", maxDelay: 86_400 }],
  ["/batched", { maxBatch: 7, maxWait: 1 }],
  ["/cloudevents", { format: "cloudevents" }]
]

const source = (type: string, value: string) => ({ type, value })

/** The first part, until deliveries to `…/broken` are dead. */
export const fill = async (call: Call, token: string, receiver: string): Promise<Filled> => {
  const send = caller(call, token)
  const brandIds: Array<string> = []
  const keys: Record<string, string> = {}
  for (const name of [`Café ☕ "Ü" <b>O'Neil</b>; --`, "Second", "Without leads"]) {
    const { id } = await send("POST", "/operator/brands", { name })
    brandIds.push(id)
    keys[id] = (
      await send("POST", `/operator/brands/${id}/keys`, { label: "crm", requestsPerMinute: 1_000_000 })
    ).key
  }
  const [first, second] = brandIds as [string, string]
  const of = (path: string) => `/operator/brands/${first}${path}`
  const revoked = await send("POST", of("/keys"), { label: "revoked ☠" })
  await send("DELETE", of(`/keys/${revoked.id}`))

  const signals: Array<string> = []
  for (const [name, signalType, of_] of [
    ["Launch", "post", source("post-url", "https://network.example/posts/1")],
    ["Words ☕", "keywords", source("posts-with-keywords", `"tea" OR 'coffee'`)],
    ["Rivals", "competitor-posts", source("li-company-url", "https://network.example/company/rival")]
  ] as const) {
    signals.push((await send("POST", of("/signals"), { name, signalType, source: of_ })).id)
  }
  const theirs = (
    await send("POST", `/operator/brands/${second}/signals`, {
      name: "S",
      signalType: "t",
      source: source("post-url", "https://network.example/posts/2")
    })
  ).id
  const campaign = (await send("POST", of("/campaigns"), { name: "Spring “tea”" })).id
  for (const [post, on, n] of [
    ["p/1", 0, 10],
    ["p/1", 1, 40],
    ["p'2", 1, 7]
  ] as const) {
    const date = new Date(begin + on * day).toISOString().slice(0, 10)
    await send("PUT", of(`/campaigns/${campaign}/posts/${encodeURIComponent(post)}/snapshots/${date}`), {
      impressions: n * 100,
      reactions: n,
      comments: n + 1,
      reposts: 2
    })
  }
  for (const [path, events] of [
    ["/", ["lead2.created", "activity.detected"]],
    ["/broken", ["lead2.created"]],
    ["/gone", ["lead2.created"]]
  ] as const) {
    await send("POST", of("/webhooks"), { url: `${receiver}${path}`, events, description: `ü ${path}` })
  }
  for (const [path, fields] of sendings) {
    const events = ["lead2.created", "activity.detected"]
    await newer(call, token)("POST", of("/webhooks"), { url: `${receiver}${path}`, events, ...fields })
  }
  const outcomes = await send("POST", of("/observations"), {
    observations: observationsOf(signals, names, 0)
  })
  await send("POST", `/operator/brands/${second}/observations`, {
    observations: observationsOf([theirs], names.slice(0, 5), 500)
  })
  const leadOf = (n: number): number => {
    const engagement = `engagement-0-${n}-0`
    return outcomes.find((each: { engagementId: string }) => each.engagementId === engagement).leadId
  }
  for (const [n, change] of [
    [0, { qualified: true, score1: 8.5 }],
    [1, { exported: true, score1: -0.125 }],
    [2, { isEmployee: true, qualified: true, exported: true }],
    [3, { score1: 1e300 }]
  ] as const) {
    await send("PATCH", of(`/leads/${leadOf(n)}`), change)
  }
  for (const n of [15, 16]) await send("DELETE", of(`/leads/${leadOf(n)}`))

  // What later versions brought.
  await send("PATCH", of(`/signals/${signals[1]}`), { name: "Words, renamed" })
  await send("DELETE", of(`/signals/${signals[2]}`))
  return {
    brandIds,
    keys,
    revoked: revoked.key,
    erased: ["person-15", "person-16"],
    credentials: await makeCredentials(call, token, first),
    repeated: await makeRepeated(call, token, first)
  }
}

/** The second part: deliveries that wait for their next attempt. */
export const fillMore = async (call: Call, token: string, { brandIds }: Filled): Promise<void> => {
  const send = caller(call, token)
  const path = `/operator/brands/${brandIds[0]}`
  const [signal] = await send("GET", `${path}/signals`)
  const persons = ["Late Person", "Later Person ☕"]
  const observations = observationsOf([signal.id], persons, 900).map((each, n) => ({
    ...each,
    person: { ...each.person, extId: `late-${n}` }
  }))
  await send("POST", `${path}/observations`, { observations })
}

/** Whether each delivery has its end or waits for more than a minute. */
export const isSettled = async (call: Call, token: string, { brandIds }: Filled): Promise<boolean> => {
  const send = caller(call, token)
  const path = `/operator/brands/${brandIds[0]}/webhooks`
  for (const { enabled, id, ordering } of (await send("GET", path)) ?? []) {
    if (enabled === false) continue
    const all: ReadonlyArray<any> = await send("GET", `${path}/${id}/deliveries?pageSize=100`)
    const waits = ({ attempts, nextAttemptAt }: any): boolean =>
      attempts > 0 && nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now() + 60_000
    const pending = all.filter(({ state }) => state === "pending")
    // In order, events wait behind one of their lead that waits.
    const waiting = new Set(ordering === "lead" ? pending.filter(waits).map(({ leadId }) => leadId) : [])
    if (!pending.every((each) => waits(each) || waiting.has(each.leadId))) return false
  }
  return true
}

/** Asks for all that the server has of the content. */
export const answersOf = async (call: Call, token: string, filled: Filled): Promise<Answers> => {
  const bodies: Array<{ path: string; brandId: string; body: unknown }> = []
  const look = async (brandId: string, path: string, bearer: string): Promise<any> => {
    const answer = await call("GET", path, bearer)
    if (isUnknown(answer)) return null
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    bodies.push({ path, brandId, body: answer.body })
    return answer.body
  }
  await look("", "/operator/brands", token)
  await look("", "/operator/tokens", token)
  for (const brandId of filled.brandIds) {
    const [key, of] = [filled.keys[brandId]!, `/operator/brands/${brandId}`]
    for (const what of ["keys", "signals", "campaigns"]) await look(brandId, `${of}/${what}`, token)
    for (const webhook of (await look(brandId, `${of}/webhooks`, token))?.data ?? []) {
      const deliveries = `${of}/webhooks/${webhook.id}/deliveries`
      for (const { id } of (await look(brandId, `${deliveries}?pageSize=100`, token)).data)
        await look(brandId, `${deliveries}/${id}`, token)
    }
    const all: ReadonlyArray<{ readonly id: number }> = (
      await look(brandId, "/signals/leads?pageSize=100&sort=createdAt:asc", key)
    ).data
    for (const query of [
      "sort=updatedAt:desc",
      "sort=score1:asc",
      "qualified=true",
      "exported=false&sort=updatedAt:asc"
    ])
      await look(brandId, `/signals/leads?pageSize=100&${query}`, key)
    for (const { id } of all) {
      await look(brandId, `/signals/leads/${id}?includeEngagementDetail=true`, key)
      await look(brandId, `${of}/leads/${id}/export`, token)
    }
    for (const { id } of (await call("GET", `${of}/campaigns`, token)).body.data)
      await look(brandId, `/campaign/${id}/metrics?startDate=2025-10-01&endDate=2025-12-01`, key)
  }
  const limited: Array<Limited> = []
  for (const [limitedToken, paths] of filled.credentials)
    for (const path of paths)
      limited.push({ token: limitedToken, path, status: (await call("GET", path, limitedToken)).status })
  // Last, since lists and exports have entries; whoever compares asks for it first.
  await look("", "/operator/audit?pageSize=100", token)
  bodies.unshift(...bodies.splice(-1))
  const { erased, keys, repeated, revoked } = filled
  return { keys, revoked, erased, repeated, limited, bodies }
}
