/** What the made-up people, companies and posts of the benchmark are called. No name is anyone's. */
const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** Drawn for persons, each as likely as the others. */
export const firstNames = words(
  "Ada Amira Anouk Arvid Beatriz Björn Chiara Dagny Darius Elif Emeka Esra Farid Freya Gia Haruki Hedda Idris Ines Isak Jaya Joana Kaito Karim Léa Lina Ludvik Maren Mateo Mina Naïm Nadia Nils Noor Olu Oskar Priya Quentin Ravi Rosa Saga Samir Selma Søren Tariq Tove Uma Viggo Wanjiru Xenia Yara Yusuf Zofia Zoë"
)

/** Drawn for persons, each as likely as the others. */
export const lastNames = words(
  "Abara Alvén Amundsen Baran Bergqvist Castell Dahlroth Demirel Eklöv Farouk Fjellner Gallo Grönlund Haddadi Hallberg Ibsen Iwaki Jónsdal Kaplin Kovář Lindahl Lòpes Marwick Moreau Nakagami Nyholm Okoro Østgaard Pavlić Quist Rahmani Rosenkvist Sadeghi Saint-Clar Sørby Takemori Tandberg Ueno Vaskinn Vendrell Wachira Weisz Yıldız Zamora Łaski"
)

/** Syllables of two letters or three: a name of several is hardly anyone else's, and two in a row lie in some thousand names of a million. */
export const syllables = words(
  "ba bel bi da dor du fa fi ga gri ha hel ji ka kel ko la len li lo ma mi mor na nes ni ol pa pe ra ri ro sa sel ta ti tor va ve zu"
)

/** In about 16 % of the headlines. */
export const commonWord = "Engineer"

/** The share of headlines that have `commonWord`, for searches that find many. */
export const commonShare = 0.16
/** In five leads of the brand, however many there are. */
export const rareWord = "Zyxomma"

/** Titles with the common word. */
export const engineers = [`Data ${commonWord}`, `Platform ${commonWord}`, `Software ${commonWord}`]

/** Titles without it. */
export const otherTitles = [
  "Account Executive",
  "Chief of Staff",
  "Founder",
  "Growth Lead",
  "Head of Customer Success",
  "Head of Sales",
  "Marketing Manager",
  "Product Manager",
  "RevOps Manager",
  "Sales Director",
  "VP Marketing",
  "VP Sales"
]

/** The first word of a company. */
export const companyStems = words(
  "Northwind Alder Quartz Fjord Lumen Harbor Juniper Kestrel Mosaic Nimbus Onyx Pinecone Rowan Saffron Tundra Umber Velvet Willow Xylo Yarrow"
)

/** The second word of a company. */
export const companyEnds = words("Labs Systems Analytics Cloud Works Health Freight Foods")

/** Drawn for companies. */
export const industries = [
  "Software",
  "Logistics",
  "Healthcare",
  "Retail",
  "Financial Services",
  "Manufacturing"
]

/** City and country. */
export const places = [
  ["Oslo", "Norway"],
  ["Lisbon", "Portugal"],
  ["Nairobi", "Kenya"],
  ["Osaka", "Japan"],
  ["Toronto", "Canada"],
  ["Kraków", "Poland"]
] as const

/** A range as text, and a number within it. */
export const staffRanges = [
  ["11-50", 32],
  ["51-200", 120],
  ["201-500", 340],
  ["1001-5000", 2200]
] as const

/** How a post begins. */
export const openings = [
  "What we learnt about",
  "Three myths about",
  "Our quarter in",
  "A short guide to",
  "Why we changed our mind on"
]

/** How a post goes on. */
export const topics = [
  "attribution",
  "onboarding",
  "forecasting",
  "cold outreach",
  "event marketing",
  "pricing",
  "hiring"
]

/** Drawn for comments; one has a character outside the BMP. */
export const comments = [
  "This is exactly what we saw last quarter.",
  "Great read, thank you!",
  "How did you measure it?",
  "We tried the opposite and it worked, too 🙂",
  "Saving this for the team.",
  "Curious how this holds for smaller teams."
]

/** As the network names them. */
export const reactions = words("LIKE PRAISE EMPATHY INTEREST APPRECIATION ENTERTAINMENT")
