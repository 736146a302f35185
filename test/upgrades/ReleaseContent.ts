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
export type Call = (method: string, path: string, token: string, body?: unknown) => Promise<Answer>

/** What a version answered: the tokens that open it, and the bodies by path. */
export interface Answers {
  /** A key of each brand, by the brand's id. */
  readonly keys: Readonly<Record<string, string>>
  /** A key that was revoked. */
  readonly revoked: string
  /** External ids of persons who were erased, in the first brand. */
  readonly erased: ReadonlyArray<string>
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

interface Filled {
  readonly brandIds: ReadonlyArray<string>
  readonly keys: Readonly<Record<string, string>>
  readonly revoked: string
  readonly erased: ReadonlyArray<string>
}

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
  await send("POST", "/operator/tokens", { name: "collector", scopes: ["ingest"], brandIds: [first] })
  return { brandIds, keys, revoked: revoked.key, erased: ["person-15", "person-16"] }
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
  for (const { enabled, id } of (await send("GET", path)) ?? []) {
    if (enabled === false) continue
    for (const each of await send("GET", `${path}/${id}/deliveries?pageSize=100`)) {
      const next = each.nextAttemptAt === null ? null : Date.parse(each.nextAttemptAt)
      if (each.state === "pending" && (each.attempts === 0 || next === null || next < Date.now() + 60_000))
        return false
    }
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
  return { keys: filled.keys, revoked: filled.revoked, erased: filled.erased, bodies }
}
