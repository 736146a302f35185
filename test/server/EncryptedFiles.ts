/** A file with people in it, encrypted or not, for the tests of encryption at rest: who is in it, and where their texts are found. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { callJson, operatorToken, type ServerProcess } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

export const key = Buffer.alloc(32, 0x5a).toString("base64")
export const otherKey = "b7".repeat(32)

export const environmentOf = (database: string, encryptionKey: string) => ({
  LEAD_SIGNALS_DATABASE: database,
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
  LEAD_SIGNALS_RATE_LIMIT: "1000000",
  LEAD_SIGNALS_ENCRYPTION_KEY: encryptionKey
})

/** The strings of the people and secrets, by what they are. */
export type Canaries = Readonly<Record<string, ReadonlyArray<string>>>

export const people = isThorough ? 1000 : 100
export const erased = people / 50

export const operate = async (server: ServerProcess, method: string, path: string, json?: unknown) => {
  const { body, status } = await callJson(`${server.url}/operator${path}`, operatorToken, method, json)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
  return body?.data
}

/** Records the people, delivers their events, erases some, and answers what nobody may find. */
export const fill = async (server: ServerProcess, receiverUrl: string): Promise<Canaries> => {
  const source = { type: "posts-with-keywords", value: "canaryword" }
  const brand = await operate(server, "POST", "/brands", { name: "Canarybrand" })
  const signal = await operate(server, "POST", `/brands/${brand.id}/signals`, {
    name: "Canarysignal",
    signalType: "t",
    source
  })
  const events = ["lead2.created", "activity.detected"]
  const secrets: Array<string> = []
  for (const path of ["canaryok", "canaryfails"]) {
    const webhook = await operate(server, "POST", `/brands/${brand.id}/webhooks`, {
      url: `${receiverUrl}/${path}`,
      events
    })
    secrets.push(webhook.secret)
  }
  const leads: Array<number> = []
  for (let from = 0; from < people; from += 100) {
    const observations = Array.from({ length: 100 }, (_, i) => {
      // As long as each other: the beginning of one is none of them.
      const n = String(from + i).padStart(4, "0")
      return {
        signalId: signal.id,
        person: {
          extId: `canaryperson-${n}`,
          name: `Canaria Namely${n}`,
          headline: `Canaryheadline ${n}`,
          liProfileUrl: `https://network.example/in/canaryurl-${n}`
        },
        engagement: {
          id: `canaryengagement-${n}`,
          type: "comment",
          commentText: `Canarycomment number ${n} says much`,
          postUrl: `https://network.example/post/canarypost-${n}`
        }
      }
    })
    const recorded = await operate(server, "POST", `/brands/${brand.id}/observations`, { observations })
    leads.push(...recorded.map(({ leadId }: { leadId: number }) => leadId))
  }
  for (const id of leads.slice(0, erased)) await operate(server, "DELETE", `/brands/${brand.id}/leads/${id}`)
  return {
    names: ["Canaria", "canaria"],
    headlines: ["Canaryheadline"],
    comments: ["Canarycomment"],
    ids: ["canaryperson-", "canaryengagement-"],
    urls: ["canaryurl-", "canarypost-"],
    "words of the brand": ["Canarybrand", "Canarysignal", "canaryword"],
    webhooks: ["canaryok", "canaryfails"],
    "webhook secrets": secrets.flatMap((secret) => [secret, secret.slice("whsec_".length)])
  }
}

/** How many of the strings a place has, by what they are. As `strings` would find them: in the bytes, in either encoding of text. */
export const foundIn = (bytes: ReadonlyArray<Buffer>, canaries: Canaries): ReadonlyArray<number> =>
  Object.values(canaries).map(
    (texts) =>
      texts.filter((text) =>
        bytes.some((each) => each.includes(text) || each.includes(Buffer.from(text, "utf16le")))
      ).length
  )

export const filesIn = (place: string, pattern: RegExp): ReadonlyArray<Buffer> =>
  readdirSync(place)
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(place, name)))
