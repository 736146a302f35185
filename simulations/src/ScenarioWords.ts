/** What each word of a scenario stands for, in a sentence: actions, receivers and faults. */
export const actionEffects = {
  observe: "The collector reports one to three engagements, seldom 22 of one person.",
  again: "The collector sends an earlier observation once more, sometimes with an edited comment.",
  amend: "The operator sets flags or the score of a lead.",
  erase: "The operator erases a person.",
  export: "The operator exports everything about a person.",
  list: "A client reads one page of leads, with a random order, page size and filters.",
  detail: "A client reads one lead with its engagements.",
  walk: "A client reads all pages of a list, in one order, one after the other.",
  sync: "A client that keeps a copy of all leads brings it up to date.",
  metrics: "A client reads the campaign's figures of some days.",
  reading: "The collector reports the figures of a post for one day.",
  key: "The operator creates an API key, which is used, revoked while it is used, and tried again.",
  burst:
    "Six to 15 requests are made with a key that may make 6 a minute; at times more than a key of 200 to 1,000 may make.",
  bad: "Somebody sends wrong input, which must be refused with its status, code and message.",
  probe: "Somebody sends nine right requests, each with one input in another form, accepted or refused.",
  load: "The collector reports 120 to 1,000 people more, in batches.",
  tenant: "A brand is created, used and deleted.",
  cross: "Somebody names with one brand's key, or in one brand's path, what belongs to another brand.",
  rotate: "The operator renews the secret of a webhook.",
  resend: "The operator sends an event of a lead again to one webhook.",
  redeliver: "The operator sends one delivery of a webhook again.",
  recover: "The operator sends everything again that a webhook did not take within the last two hours.",
  test: "The operator sends a test event to a webhook.",
  toggle: "The operator switches a webhook off, and on again within 20 minutes.",
  inspect:
    "The operator reads everything that there is of a brand, figures over time, too, and creates, renames and deletes.",
  keyed:
    "The operator creates something with an Idempotency-Key, and sends it again: at once, later, a day later, with another body, by another token.",
  access:
    "A token with some scopes and brands, or a key with some scopes and addresses, is created, used for whatever there is to call, also in its last millisecond, and expires or is revoked.",
  stream:
    "The operator listens to the events of a brand, leaves, and listens again from the last event, an older one, or one that never was.",
  session:
    "Somebody signs in at a browser with the operator's token, a token or a key, uses the session with and without proof of its origin, and signs out, or it ends by itself."
}

/** What each receiver answers. */
export const behaviourEffects = {
  healthy: "answers 200 at once",
  slow: "answers 202 after 2 to 11 s",
  flaky: "fails four times in ten, with 500 and other statuses, and succeeds with several",
  failing: "answers 503 twelve times, then 200",
  busy: "answers every third post 429 with Retry-After 600",
  hanging: "does not answer twelve posts, then 200",
  gone: "answers its fifth post 410",
  redirecting: "answers 302 twelve times, then 200",
  truncating: "answers every other post 500, and echoes what it got",
  strict: "answers 401 to a signature that it does not know",
  unsteady: "fails for two minutes in every seven, with 503, and else answers 200",
  broken: "answers 500"
}

/** What each fault that strikes by chance does. */
export const rateEffects = {
  loss: "A message between two parties never arrives.",
  lostAnswer: "A request is handled, and its answer never arrives.",
  cut: "The answer to a request breaks off half way.",
  duplication: "A message arrives twice.",
  late: "A message takes up to 20 s, so that later ones overtake it.",
  slowStore: "A call of the store takes up to a second.",
  storeDown: "A call of the store fails, and nothing was done.",
  doneButFailed: "The store carries out a write, and its caller gets a failure.",
  killAtStore:
    "The service is killed before a write to the store, within its transaction, or right after it.",
  connectionLoss:
    "The connection of a call to a networked store is lost before the call arrives, or after it was done.",
  lateCommit: "A write to a networked store is committed up to 10 s after its time was read.",
  tornWrites: "A kill takes the power of the whole host: what was not synced is lost, or there in part.",
  refusals: "A receiver refuses the connection of a post at once."
}

/** What each fault that strikes a number of times a day does. */
export const scheduledFaultEffects = {
  kills: "The service is killed at any step of its work, and starts again.",
  clockSteps: "The service's clock jumps, by up to an hour either way.",
  drifts: "The service's clock runs too fast or too slow, by up to a fiftieth.",
  pauses: "The service stands still, for up to a minute.",
  partitions: "Nobody reaches the service and it reaches nobody, for up to five minutes.",
  storeCuts: "One process can't reach the store, for up to two minutes.",
  receiverCuts: "One process can't reach the receivers of webhooks, for up to five minutes.",
  failovers:
    "The server of a networked store fails; another one that has every commit takes over within half a minute.",
  lossyFailovers: "The same, and the other one lacks the commits of up to the last five minutes."
}

/** What the webhooks of a share do. */
export const webhookShareEffects = {
  ordered:
    "The events of one lead come one after the other; two in five of these webhooks wait for a while at most.",
  batched:
    "Up to 2, 3, 5, 20 or 100 events come in one post; three in five of these webhooks wait for further events.",
  cloudEvents: "Events come as CloudEvents."
}
