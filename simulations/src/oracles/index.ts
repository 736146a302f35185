/** Every rule that a run is judged by. */
import { accessDecided } from "./AccessDecided.ts"
import { agreesWithReference } from "./AgreesWithReference.ts"
import { answersCompared } from "./AnswersCompared.ts"
import { attemptsLogged } from "./AttemptsLogged.ts"
import { bodiesValid } from "./BodiesValid.ts"
import { brandsApart } from "./BrandsApart.ts"
import { feedOfChanges } from "./FeedOfChanges.ts"
import { deletedStayGone } from "./DeletedStayGone.ts"
import { erasedStayGone } from "./ErasedStayGone.ts"
import { deliveriesKept } from "./DeliveriesKept.ts"
import { errorsClear } from "./ErrorsClear.ts"
import { everythingArrives } from "./EverythingArrives.ts"
import { formatsRight } from "./FormatsRight.ts"
import { headersRight } from "./HeadersRight.ts"
import { idempotencyHolds } from "./IdempotencyHolds.ts"
import { liveEvents } from "./LiveEvents.ts"
import { leadsInOrder } from "./LeadsInOrder.ts"
import { limitsHold } from "./LimitsHold.ts"
import { logRight } from "./LogRight.ts"
import { mirrorsConverge } from "./MirrorsConverge.ts"
import { noDefects } from "./NoDefects.ts"
import { nothingInternal } from "./NothingInternal.ts"
import { oneBodyPerId } from "./OneBodyPerId.ts"
import { oneEventEach } from "./OneEventEach.ts"
import type { Oracle } from "./Oracle.ts"
import { operatorAnswers } from "./OperatorAnswers.ts"
import { pagesTile } from "./PagesTile.ts"
import { retentionKept } from "./RetentionKept.ts"
import { retriesWait } from "./RetriesWait.ts"
import { revokedKeysFail } from "./RevokedKeysFail.ts"
import { sessionsHold } from "./SessionsHold.ts"
import { signed } from "./Signed.ts"
import { waitsEnd } from "./WaitsEnd.ts"
import { windowsHold } from "./WindowsHold.ts"

/** `accessDecided` learns what a credential opens, which others go by. `deliveriesKept` moves the outbox on that others look at, and must see an erasure before `agreesWithReference` does. */
export const oracles: ReadonlyArray<Oracle> = [
  noDefects,
  deliveriesKept,
  accessDecided,
  sessionsHold,
  operatorAnswers,
  idempotencyHolds,
  formatsRight,
  headersRight,
  bodiesValid,
  nothingInternal,
  logRight,
  brandsApart,
  erasedStayGone,
  deletedStayGone,
  revokedKeysFail,
  limitsHold,
  windowsHold,
  errorsClear,
  agreesWithReference,
  feedOfChanges,
  liveEvents,
  retentionKept,
  signed,
  oneBodyPerId,
  oneEventEach,
  leadsInOrder,
  retriesWait,
  everythingArrives,
  mirrorsConverge,
  waitsEnd,
  pagesTile,
  attemptsLogged,
  answersCompared
]
