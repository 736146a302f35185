/** Which writing methods of the ports are stepped against each other on Postgres, and why the others are not. */
import { storePorts } from "@lead-signals/domain"
import { expect, it } from "vitest"
import { directoryMethods } from "./DirectoryMethods.ts"
import { leadMethods } from "./WritingMethods.ts"

const oneStatement = "one statement, whose row locks are all that it needs"

/** Each writing method by `port.method`, with the name of a stepped call, or the reason why there is none. */
const stepped: Readonly<Record<string, { readonly as: string } | { readonly not: string }>> = {
  "leads.commit": { as: "commit of a new lead" },
  "leads.update": { as: "amend" },
  "leads.erase": { as: "erase" },
  "leads.removeSome": { as: "removeSome" },
  "brands.create": { not: "no other call knows the brand before it is answered" },
  "brands.rename": { as: "renaming of the brand" },
  "brands.startDeletion": { as: "beginning of the brand's deletion" },
  "brands.finishDeletion": { as: "end of the brand's deletion" },
  "keys.create": { as: "creation of a key" },
  "keys.revoke": { as: "revocation of the key" },
  "keys.markUsed": { not: "it is written later, and reads as it is: a lost minute is no error" },
  "accessTokens.create": { not: "no other call knows the token before it is answered" },
  "accessTokens.revoke": { not: oneStatement },
  "accessTokens.markUsed": { not: "as that of keys" },
  "auditLog.append": { not: "no other call knows the entry before it is answered" },
  "auditLog.complete": { as: "end of an audited call" },
  "auditLog.prune": { not: oneStatement },
  "idempotency.reserve": { as: "reservation of the Idempotency-Key" },
  "idempotency.complete": { as: "answer under the Idempotency-Key" },
  "idempotency.release": { as: "release of the Idempotency-Key" },
  "idempotency.prune": { not: oneStatement },
  "signals.create": { as: "creation of a signal" },
  "signals.rename": { as: "renaming of the signal" },
  "signals.delete": { as: "deletion of the signal" },
  "campaigns.create": { as: "creation of a campaign" },
  "campaigns.rename": { as: "renaming of the campaign" },
  "campaigns.delete": { as: "deletion of the campaign" },
  "campaigns.putReading": { as: "reading of a post" },
  "webhooks.create": { as: "creation of a webhook" },
  "webhooks.update": { as: "change of the webhook" },
  "webhooks.delete": { as: "deletion of the webhook" },
  "outbox.lease": { as: "lease" },
  "outbox.record": { as: "record of a success" },
  "deliveries.queue": { as: "queue of the newest event" },
  "deliveries.recover": { as: "recover" },
  "rateWindows.step": { as: "request of the key" },
  "pruning.prune": { as: "pruning of events" }
}

it("each writing method of the ports is stepped against others, or a reason says why not", () => {
  const writing = Object.entries(storePorts).flatMap(([port, { operations }]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      operation === "write" ? [`${port}.${method}`] : []
    )
  )
  expect(Object.keys(stepped).toSorted()).toEqual(writing.toSorted())
  const calls = { ...leadMethods.methods, ...directoryMethods.methods }
  for (const each of Object.values(stepped)) if ("as" in each) expect(calls).toHaveProperty([each.as])
})
