/** What the page itself refuses, before the API has seen it; the message is for the user. */
export class Refusal extends Error {}
