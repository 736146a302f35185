/** Observations that the benchmark sends, as a function of their number. */
import * as Data from "./Data.ts"

/** One that no file holds: the person is numbered beyond all leads. */
export const newObservation = (n: number, signalId: string) => {
  const { company, firstName: _first, lastName: _last, ...person } = Data.personOf(20_000_000 + n)
  const author = Data.personOf(1 + (n % 2000), false, "author")
  return {
    signalId,
    person: { ...person, company: Data.companies[company]! },
    engagement: {
      id: `new-${n}`,
      type: "comment",
      commentText: "Looking forward to trying this in our team next week",
      postUrl: `https://network.example/posts/${n % 5000}`,
      postContent: "What we learnt about attribution, and what it means for pricing.",
      postPostedAt: "2025-12-01T10:00:00.000Z",
      postAuthor: author.name,
      postAuthorDetail: Data.authorOf(author),
      emittedAt: "2025-12-30T10:00:00.000Z",
      trackedAt: "2025-12-30T10:01:00.000Z"
    }
  }
}

/** What the operator API takes, of a person who is new. */
export type NewObservation = ReturnType<typeof newObservation>
