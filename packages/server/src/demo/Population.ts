/** Invented people and companies. No name belongs to anyone; every domain is under `.example`. */
import type { Prng } from "@lead-signals/simulation-kernel"

const firstNames =
  "Ada Amira Anouk Arvid Beatriz Björn Chiara Dagny Darius Elif Emeka Esra Farid Freya Gia Haruki Hedda Idris Ines Isak Jaya Joana Kaito Karim Léa Lina Ludvik Maren Mateo Mina Naïm Nadia Nils Noor Olu Oskar Priya Quentin Ravi Rosa Saga Samir Selma Søren Tariq Tove Uma Viggo Wanjiru Xenia Yara Yusuf Zofia Zoë".split(
    " "
  )
const lastNames =
  "Abara Alvén Amundsen Baran Bergqvist Castell Dahlroth Demirel Eklöv Farouk Fjellner Gallo Grönlund Haddadi Hallberg Ibsen-Ray Iwaki Jónsdal Kaplin Kovář Lindahl Lòpes Marwick Moreau Nakagami Nyholm Okoro Østgaard Pavlić Quist Rahmani Rosenkvist Sadeghi Saint-Clar Sørby Takemori Tandberg Ueno Vaskinn Vendrell Wachira Weisz Xu-Lang Yıldız Zamora Łaski".split(
    " "
  )
const titles = [
  "Account Executive",
  "Chief of Staff",
  "Data Engineer",
  "Founder",
  "Growth Lead",
  "Head of Customer Success",
  "Head of Sales",
  "Marketing Manager",
  "Platform Engineer",
  "Product Manager",
  "RevOps Manager",
  "Sales Director",
  "Software Engineer",
  "VP Marketing",
  "VP Sales"
]
const companyStems =
  "Northwind Alder Quartz Fjord Lumen Harbor Juniper Kestrel Mosaic Nimbus Onyx Pinecone Rowan Saffron Tundra Umber Velvet Willow Xylo Yarrow".split(
    " "
  )
const companyEnds = ["Labs", "Systems", "Analytics", "Cloud", "Works", "Health", "Freight", "Foods"]
const industries = ["Software", "Logistics", "Healthcare", "Retail", "Financial Services", "Manufacturing"]
const places = [
  ["Oslo", "Norway"],
  ["Lisbon", "Portugal"],
  ["Nairobi", "Kenya"],
  ["Osaka", "Japan"],
  ["Toronto", "Canada"],
  ["Kraków", "Poland"]
] as const
const staffRanges = [
  ["11-50", 32],
  ["51-200", 120],
  ["201-500", 340],
  ["1001-5000", 2200]
] as const

const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

/** A company that does not exist. */
export interface MadeUpCompany {
  readonly id: number
  readonly name: string
  readonly domain: string
  readonly url: string
  readonly homepageUrl: string
  readonly logoUrl: string
  readonly industry: string
  readonly staffCountRange: string
  readonly staffCount: number
  readonly location: string
  readonly country: string
  readonly city: string
  readonly username: string
  readonly description: string
}

/** Companies, with different names up to 160 of them. */
export const companies = (prng: Prng, count: number): ReadonlyArray<MadeUpCompany> =>
  Array.from({ length: count }, (_, i): MadeUpCompany => {
    const stem = companyStems[i % companyStems.length]!
    const end = companyEnds[Math.floor(i / companyStems.length) % companyEnds.length]!
    const name = `${stem} ${end}`
    const username = slug(name)
    const [city, country] = prng.pick(places)
    const [staffCountRange, staffCount] = prng.pick(staffRanges)
    const industry = prng.pick(industries)
    return {
      id: 1000 + i,
      name,
      domain: `${username}.example`,
      url: `https://network.example/company/${username}`,
      homepageUrl: `https://${username}.example`,
      logoUrl: `https://images.example/logo/${username}.png`,
      industry,
      staffCountRange,
      staffCount,
      location: `${city}, ${country}`,
      country,
      city,
      username,
      description: `${name} makes ${industry.toLowerCase()} products.`
    }
  })

/** A person who does not exist. */
export interface MadeUpPerson {
  readonly extId: string
  readonly name: string
  readonly firstName: string
  readonly lastName: string
  readonly headline: string
  readonly username: string
  readonly title1: string
  readonly liProfileUrl: string
  readonly profileImgUrl: string
  readonly company: MadeUpCompany
}

/** People who work at one of the employers. */
export const people = (
  prng: Prng,
  count: number,
  employers: ReadonlyArray<MadeUpCompany>
): ReadonlyArray<MadeUpPerson> =>
  Array.from({ length: count }, (_, i): MadeUpPerson => {
    const [firstName, lastName] = [prng.pick(firstNames), prng.pick(lastNames)]
    const name = `${firstName} ${lastName}`
    const [title1, company] = [prng.pick(titles), prng.pick(employers)]
    const username = `${slug(name)}-${i + 1}`
    return {
      extId: `person-${i + 1}`,
      name,
      firstName,
      lastName,
      headline: `${title1} at ${company.name}`,
      username,
      title1,
      liProfileUrl: `https://network.example/in/${username}`,
      profileImgUrl: `https://images.example/people/${username}.jpg`,
      company
    }
  })
