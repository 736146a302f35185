/** Maximum lengths of texts. This module needs no Effect, so that worker threads can import it. */

/**
 * Maximum lengths in characters (Unicode code points, as JSON Schema's `maxLength` counts them). The limit of the professional
 * network is in parentheses; these leave room for what collectors add. They apply to input: a text that was stored earlier
 * may be longer and stays readable. `docs/decisions/0006` has the table.
 */
export const textLimits = {
  /** Ids from other systems; the network's id of a reply has about 150 characters. */
  externalId: 512,
  /** Names of people (first name 20, last name 40), of companies (100), and those that operators give. */
  name: 256,
  /** The line under a person's name (220). */
  headline: 512,
  /** A job title (100). */
  title: 256,
  /** The vanity name in a profile's address (100). */
  username: 256,
  /** A URL (no limit; browsers and servers take about 2,000 to 8,000). */
  url: 4096,
  /** A word from a list: a reaction, an industry, a place, a range of employees. */
  label: 256,
  /** The description of a company (2,000). */
  description: 4096,
  /** A comment (1,250), with the markup that surrounds it when it is collected. */
  comment: 20_000,
  /** The text of a post (3,000), or of an article. */
  post: 100_000
} as const
