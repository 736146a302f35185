/** How long the texts of an observation may be, and that folding takes whatever is stored. */
import { Folding, Observation, Decoder, textLimits } from "@lead-signals/domain"
import { Either } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"

type Json = Record<string, any>

const read = Decoder.decode(Observation, { whole: "The observation", strict: false })

/** By the path of the field. */
const limits: Readonly<Record<string, number>> = {
  "person.extId": textLimits.externalId,
  "person.name": textLimits.name,
  "person.headline": textLimits.headline,
  "person.username": textLimits.username,
  "person.title1": textLimits.title,
  "person.liProfileUrl": textLimits.url,
  "person.profileImgUrl": textLimits.url,
  "person.company.name": textLimits.name,
  "person.company.domain": textLimits.name,
  "person.company.url": textLimits.url,
  "person.company.homepageUrl": textLimits.url,
  "person.company.logoUrl": textLimits.url,
  "person.company.industry": textLimits.label,
  "person.company.staffCountRange": textLimits.label,
  "person.company.location": textLimits.label,
  "person.company.country": textLimits.label,
  "person.company.city": textLimits.label,
  "person.company.username": textLimits.username,
  "person.company.description": textLimits.description,
  "engagement.id": textLimits.externalId,
  "engagement.reactionType": textLimits.label,
  "engagement.commentText": textLimits.comment,
  "engagement.postUrl": textLimits.url,
  "engagement.postContent": textLimits.post,
  "engagement.postAuthor": textLimits.name,
  "engagement.postAuthorDetail.extId": textLimits.externalId,
  "engagement.postAuthorDetail.name": textLimits.name,
  "engagement.postAuthorDetail.firstName": textLimits.name,
  "engagement.postAuthorDetail.lastName": textLimits.name,
  "engagement.postAuthorDetail.headline": textLimits.headline,
  "engagement.postAuthorDetail.username": textLimits.username,
  "engagement.postAuthorDetail.linkedinProfileUrl": textLimits.url,
  "engagement.postAuthorDetail.profileImageUrl": textLimits.url
}

const withText = (path: string, text: string): Json => {
  const observation: Json = {
    signalId: "7",
    person: { extId: "p-1", name: "Ada", company: { id: 1 } },
    engagement: { id: "e-1", type: "comment", postAuthorDetail: {} }
  }
  const names = path.split(".")
  const parent = names.slice(0, -1).reduce((each, name) => each[name], observation)
  parent[names.at(-1)!] = text
  return observation
}

/** The paths of all fields that take a text, as the schema's own JSON form has them. */
const textsOf = (value: Json, path = ""): Array<string> =>
  Object.entries(value).flatMap(([name, each]) =>
    typeof each === "object" && each !== null ? textsOf(each, `${path}${name}.`) : [`${path}${name}`]
  )

describe("the length of a text", () => {
  it.each(Object.entries(limits))("of %s is bounded by %i characters [OBS-3, ERR-3]", (path, limit) => {
    for (const character of ["x", "😀"]) {
      expect(Either.isRight(read(withText(path, character.repeat(limit))))).toBe(true)
      expect(Either.getOrThrow(Either.flip(read(withText(path, character.repeat(limit + 1)))))).toMatchObject(
        {
          parameter: path,
          message: expect.stringMatching(
            new RegExp(`^${path.replaceAll(".", "\\.")} takes .* ${limit} characters`)
          )
        }
      )
    }
  })

  it("is bounded in every field that takes one [OBS-3]", () => {
    const full = Either.getOrThrow(read(withText("person.name", "Ada")))
    const others = ["signalId", "person.company.id", "person.company.staffCount", "engagement.type"]
    const times = ["postPostedAt", "emittedAt", "trackedAt"].map((name) => `engagement.${name}`)
    expect(textsOf(full).sort()).toEqual([...Object.keys(limits), ...others, ...times].sort())
  })
})

describe("folding", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("lets no text be normalised with more than thirty marks in a row, however long it is [LIST-4]", () => {
    const normalized: Array<string> = []
    const native = String.prototype.normalize
    vi.spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form?: string) {
      normalized.push(String(this))
      return native.call(this, form)
    })
    const texts = [
      "\u0315\u0300".repeat(50_000),
      `Ada ${"\uff9e\u0315".repeat(50_000)}`,
      `${"a\u0300\u0315\u0323".repeat(20)}${"\u0344".repeat(1000)}z`
    ]
    for (const text of texts) Folding.fold(text)
    expect(normalized.length).toBeGreaterThanOrEqual(texts.length)
    expect(normalized.filter((text) => /[\p{M}\uff9e\uff9f]{31}/u.test(text))).toEqual([])
  })

  it("takes the first 2,000 units of a longer text, and no half character [LIST-4]", () => {
    expect(Folding.fold("x".repeat(100_000))).toBe("x".repeat(2000))
    expect(Folding.fold(`é${"😀".repeat(50_000)}`)).toBe(`é${"😀".repeat(999)}`)
    expect(Folding.fold("\ufdfa".repeat(512)).length).toBe(2000)
  })

  it("keeps what marks any orthography has [LIST-4]", () => {
    const marked = `x${"\u0323\u0301".repeat(15)}`
    expect(Folding.fold(marked)).toBe(marked.normalize("NFKC"))
    expect(Folding.fold(`${marked}\u0301 y`)).toBe(`${marked.normalize("NFKC")} y`)
  })
})
