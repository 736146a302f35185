/** Lines of the log, as a host's logger gets them. */
import { logLine } from "@lead-signals/http"
import { Effect, Logger } from "effect"
import { expect, it } from "vitest"

it("makes fields of annotations and of plain objects beside the message, and text of everything else", () => {
  const lines: Array<unknown> = []
  const logger = Logger.make((options) => void lines.push(logLine(options)))
  const at = new Date(0)
  Effect.runSync(
    Effect.logInfo("request", { status: 200, route: "/signals/leads" }, "again", null, at).pipe(
      Effect.annotateLogs({ requestId: "r1", status: 1 }),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
  )
  expect(lines).toEqual([
    {
      message: `request again null ${String(at)}`,
      fields: { requestId: "r1", status: 200, route: "/signals/leads" }
    }
  ])
})
