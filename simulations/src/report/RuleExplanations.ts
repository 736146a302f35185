/** What each rule demands, for a reader who meets its name for the first time: in a report, beside the message. */

/** By the name of the oracle; those at the end are judged by the actors themselves. */
const explanations: Readonly<Record<string, string>> = {
  reference:
    "Every answer and every webhook body must be, to the byte, what a simple model of the service says. The model was written from the specification alone and saw the same requests in the same order.",
  "operator's answers":
    "Every answer to the operator must have the status and the fields that follow from what operators asked for and what the store did until then.",
  "sessions hold":
    "A credential must begin a browser's session where a page of this origin sends it, and its cookie must open what the credential opens, until it is signed out, has expired, or its process has ended.",
  "live events":
    "A stream of live events must begin where its listener says, or say why it can't, and have every event of the brand from then on, once and in the order of commits, until what began it is over.",
  "deliveries kept":
    "Leases, recorded attempts, webhooks and what is sent again must move as those of a simple model of the outbox do, and an attempt must be recorded as its receiver saw it.",
  "headers right":
    "Every answer and every post must have the headers that the interface names, with values that can be right, and no others.",
  "deleted stay gone":
    "Nothing may be sent to a webhook after its deletion, or that of its brand, was acknowledged, and an attempt's length has passed.",
  "bodies valid":
    "Every answer and every webhook body must have the form that the OpenAPI document gives it, with no other field, and every answer must have a request id.",
  "no defects": "The service must never answer 500, whatever goes wrong around it.",
  "errors clear":
    "Wrong input must be refused with the status and the code that the specification gives it, and the message must name what is wrong.",
  "nothing internal":
    "No answer may show the raw output of a collector, and none may show a secret but the answer that creates it.",
  "brands apart": "Nothing that belongs to one brand may reach a client or a webhook of another brand.",
  "erased stay gone":
    "A person whose erasure was acknowledged must be in no later answer and in no later post.",
  "revoked keys fail":
    "A key must never work after its revocation was acknowledged, and a valid key must never be refused.",
  "limits hold":
    "No window of a rate limit may let more requests through than the key allows, no request may be refused before that, and the headers must count as the window does.",
  "waits end":
    "A request that waits for a change must be answered soon after one, neither before its time is over while there is none nor long after; four of a key wait at once. Every other call must be answered as well.",
  "windows hold":
    "Every lead of a list must match the filters of the query, and no page may be larger than was asked for.",
  "pages tile":
    "The pages of a list, put together, must hold every lead once, in the order that was asked for.",
  "mirrors converge":
    "A client that syncs must end with the same leads as the service, none missing, none old, none too many.",
  signed:
    "Every post must be signed with the secret of its webhook at that time; during a rotation both the old and the new secret are valid.",
  "one body per id":
    "All posts with one webhook-id must have the same bytes, so that a receiver can skip repeats.",
  "one event each":
    "Each event must come as one delivery to each webhook that subscribed to it; more are allowed only after somebody sent it again on purpose.",
  "retries wait":
    "Attempts of a delivery must keep the retry schedule: none too early, none after the last, none to a disabled webhook. What is due and has a place must be leased soon and then attempted; a slow receiver must not delay another.",
  "everything arrives":
    "Each event that was committed must be taken by each webhook that subscribed to it, or stand in the dead letters.",
  "leads in order":
    "A webhook that is ordered must get the events of one lead one after the other, oldest first; the next one only when the one before was taken or is named as skipped. Tests, and what is sent again, must say that they keep no place.",
  "formats right":
    "Each post must have the form that its webhook asked for: an envelope or a CloudEvent, alone or in a batch of at most so many, whose id is the same whenever the same events are sent together.",
  "attempts logged":
    "The log of a delivery must hold every attempt without gaps, agree with what the receiver got, and name no person.",
  "retention kept":
    "What is kept for its retention must go soon after, and not before; nothing may go that is pending or that something left refers to, and no id may come again.",
  "feed of changes":
    "Each page of the feed of changes must have the leads that changed after its cursor, each once and as it is now, in the order of their newest changes, and its cursor must go on where it ended, and expire only by removals that were forgotten since its reader began.",
  "answers compared":
    "Of each answer that succeeds some rule must have compared the whole body. Where none has, the simulator looks away, and this rule says so.",
  "access decided":
    "Each call must be let through or refused as its credential says: its scopes, the brands that it reaches, the addresses that it works from, and until when it is valid.",
  "idempotency holds":
    "A key of an operator must create one thing a day at most; a repeated call must get the first answer, and a call with another body, or while the first runs, must be refused.",
  "calls succeed":
    "A call that is right must succeed in the end: somebody repeated it until it was answered, and the answer was still a refusal.",
  "observations are taken": "An observation that keeps to the specification must be accepted, item by item.",
  "log right":
    "The log must have one line of each answered request, with its status and route, and no line of it may name a person or hold a key, a token or a secret.",
  "files whole":
    "After a loss of power, and at the end of a run, the file must have no damaged page, no broken reference and no derived table that is off.",
  "erased leave memory":
    "After an erasure the searches of a SQLite store must keep in memory no text of a lead that is gone, and no posting from which one could be made again, and its rank index must not begin a bucket with a lead that is gone.",
  liveness:
    "After the faults have stopped, everything owed must come about within 30 days of virtual time: every call answered, every delivery taken or dead. It may take longer where an ordered webhook lets the events of a lead die one after the other."
}

/** The names of all rules that are explained. */
export const explainedRules: ReadonlyArray<string> = Object.keys(explanations)

/** What the rule demands; null for a rule that nobody has explained. */
export const explanationOf = (rule: string): string | null =>
  Object.hasOwn(explanations, rule) ? explanations[rule]! : null
