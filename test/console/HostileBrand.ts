/** A brand in which every text that people, receivers and operators can choose tries to be more than text. */
import type { Receiver } from "../harness/Receiver.ts"
import type { ConsoleServer } from "./ConsoleBrowser.ts"

/** What a script in a text would do, if it ran. */
const harm = "document.title='hacked'"

const markup = `<img src=x onerror="${harm}"><script>${harm}</script><svg onload="${harm}">`
/** It turns what follows around, unless it is kept apart: without the character that would end it. */
export const turning = "\u202egnp.exe \u2067مرحبا"
const invisible = "\u200b\u200d\u2060\ufeff\u00ad\u034f"
const endless = "Wwwwwwwwww".repeat(25)
const emoji = "👩🏽‍❤️‍💋‍👨🏿🏴󠁧󠁢󠁥󠁮󠁧󠁿 z̶̢̛͖̺̈́̍̊a̴̡̛̯̞͐̃̂l̸̬͖̈̀g̷̱̎̏o̶̧̾"
const script = `javascript:${harm}`

const hostileTexts = [
  markup,
  turning,
  invisible,
  endless,
  emoji,
  "{{7*7}}${7*7}<%= 7 %>",
  `"><b>"'\``,
  "=HYPERLINK(1)",
  "\u{1d4d0}\u0301 \u2028line"
]

/** What a receiver answers to each post: more than is kept, and an error, so that it is logged. */
export const answerHostilely: NonNullable<
  Parameters<typeof import("../harness/Receiver.ts").startReceiver>[0]
> = (_, response) => {
  response
    .writeHead(400, { "content-type": "text/html" })
    .end(`${markup}${turning}${invisible}\u001b[31m${endless.repeat(50)}`)
}

/** Ids of what the brand has. */
export interface HostileBrand {
  readonly brand: string
  readonly signal: string
  /** The lead with the most of it. */
  readonly lead: string
  readonly webhook: string
  readonly delivery: string
  readonly campaign: string
  /** Has another person be seen, whose texts are as bad. */
  readonly observe: () => Promise<void>
}

const limited = (text: string, length: number): string => Array.from(text).slice(0, length).join("")

/** Makes it on a server whose webhooks may reach the receiver. */
export const makeHostileBrand = async (
  { operate }: ConsoleServer,
  { url }: Pick<Receiver, "url">
): Promise<HostileBrand> => {
  const made = async (path: string, json: unknown): Promise<any> => (await operate("POST", path, json)).data
  const brand: string = (await made("/operator/brands", { name: limited(markup, 256) })).id
  await made("/operator/brands", { name: turning })
  const base = `/operator/brands/${brand}`
  const signals: Array<string> = []
  for (const text of hostileTexts) {
    const source = { type: "posts-with-keywords", value: text }
    signals.push((await made(`${base}/signals`, { name: text, signalType: limited(text, 60), source })).id)
    await made(`${base}/keys`, { label: text, scopes: ["leads"] })
    await made("/operator/tokens", { name: text, scopes: ["read"], brandIds: [brand] })
  }
  const webhook = (
    await made(`${base}/webhooks`, {
      url: `${url}/${encodeURIComponent(markup)}`,
      events: ["lead2.created", "activity.detected"],
      description: turning
    })
  ).id
  for (const text of [markup, endless])
    await made(`${base}/webhooks`, {
      url: `${url}/x`,
      events: ["activity.detected"],
      description: text,
      enabled: false
    })
  let seen = 0
  const observation = (text: string, id: string) => {
    seen += 1
    return {
      signalId: signals[seen % signals.length]!,
      person: {
        extId: id,
        name: text,
        headline: `${text}${text}`,
        title1: text,
        liProfileUrl: script,
        profileImgUrl: "https://elsewhere.example/picture.png",
        company: { id: seen, name: text, industry: text, url: script, location: turning }
      },
      engagement: {
        id: `e-${seen}`,
        type: "comment",
        commentText: `${text}\n${turning}`,
        postUrl: seen % 2 === 0 ? script : `data:text/html,${markup}`,
        postContent: `${text}\n${endless}`,
        postAuthor: text,
        postAuthorDetail: { extId: "author", name: text, headline: turning, linkedinProfileUrl: script },
        trackedAt: new Date().toISOString()
      }
    }
  }
  const send = async (observations: ReadonlyArray<unknown>) => {
    const { data } = await operate("POST", `${base}/observations`, { observations })
    const refused = data.find(({ outcome }: any) => outcome === "rejected")
    if (refused !== undefined) throw new Error(JSON.stringify(refused))
  }
  await send(hostileTexts.map((text, i) => observation(text, `p-${i}`)))
  // One that everybody was seen through.
  await send(hostileTexts.map((text) => observation(text, "p-0")))
  const leads = (await operate("GET", `${base}/leads?sort=createdAt:asc`)).data
  const campaign = (await made(`${base}/campaigns`, { name: markup })).id
  for (const name of hostileTexts.slice(1)) await made(`${base}/campaigns`, { name })
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  for (const post of hostileTexts)
    await operate("PUT", `${base}/campaigns/${campaign}/posts/${encodeURIComponent(post)}/snapshots/${day}`, {
      impressions: 10,
      reactions: 4,
      comments: 1,
      reposts: 0
    })
  const delivery = (await made(`${base}/webhooks/${webhook}/test`, {})).deliveryId
  return {
    brand,
    signal: signals[0]!,
    lead: String(leads[0].id),
    webhook,
    delivery,
    campaign,
    observe: async () => {
      await send(hostileTexts.slice(0, 5).map((text, i) => observation(text, `live-${seen}-${i}`)))
    }
  }
}

/** A file of observations that the service refuses, whose texts are as bad. */
export const hostileFile = (signal: string): string =>
  hostileTexts
    .map((text) =>
      JSON.stringify({
        signalId: signal,
        person: { extId: "", name: text },
        engagement: { id: text, type: text }
      })
    )
    .concat(`{ not JSON ${markup}`)
    .join("\n")
