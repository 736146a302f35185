/** The thread that reads: whose job it runs next, and what becomes of jobs that are dropped or whose thread ends. */
import { Cause, Effect, Exit, Fiber } from "effect"
import { Worker } from "node:worker_threads"
import { describe, expect, it, vi } from "vitest"
import { readingInPlace, readingWorker, roundRobin } from "@lead-signals/store-sqlite/internal"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

describe("the reading worker", () => {
  it("alternates between brands: much of one does not stand before little of another [LIST-5]", async () => {
    const schedule = roundRobin(1)
    const done: Array<string> = []
    const work = (name: string) => async () => {
      await Promise.resolve()
      done.push(name)
      if (name === "a2") throw new Error("failed")
      return name
    }
    const answers = await Promise.allSettled(
      ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => schedule(name[0]!, work(name)))
    )
    expect(done).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
    expect(answers.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      false,
      true,
      true,
      true,
      true,
      true
    ])
  })

  it("gives a brand the next place, whatever others have queued, with two jobs at once [LIST-5]", async () => {
    const schedule = roundRobin(2)
    const begun: Array<string> = []
    const ends: Array<() => void> = []
    const add = (name: string) =>
      schedule(name[0]!, () => {
        begun.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const answers = ["a1", "a2", "a3", "a4", "b1"].map(add)
    expect(begun).toEqual(["a1", "a2"])
    ends[0]!()
    await answers[0]
    await vi.waitFor(() => expect(begun).toEqual(["a1", "a2", "a3"]))
    answers.push(add("c1"), add("b2"))
    for (let i = 1; i < answers.length; i++) {
      await vi.waitFor(() => expect(ends.length).toBeGreaterThan(i))
      expect(begun.length).toBeLessThanOrEqual(i + 2)
      ends[i]!()
    }
    await Promise.all(answers)
    expect(begun).toEqual(["a1", "a2", "a3", "b1", "a4", "c1", "b2"])
  })

  it("drops a job whose caller has left before it began, and ends one that it has begun", async () => {
    const filename = emptyStoreFile()
    const began: Array<string> = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const worker = yield* readingWorker(filename, undefined, () => {})
          const job = (name: string) =>
            worker.read("1", "followLeads", () => {
              began.push(name)
              return null
            })
          // The thread gets the first job only when the second was left.
          const { postMessage } = Worker.prototype
          let begin = (): void => {}
          const posted = vi.spyOn(Worker.prototype, "postMessage").mockImplementationOnce(function (
            this: Worker,
            ...given
          ) {
            begin = () => postMessage.apply(this, given)
          })
          const [first, second, third] = ["first", "second", "third"].map((name) => Effect.runFork(job(name)))
          yield* Effect.promise(() => vi.waitFor(() => expect(posted).toHaveBeenCalledOnce()))
          let ended = 0
          const [thread] = posted.mock.contexts as ReadonlyArray<Worker>
          thread!.on("message", () => ended++)
          yield* Fiber.interrupt(second!)
          expect([began, ended]).toEqual([["first"], 0])
          begin()
          yield* Fiber.interrupt(first!)
          expect(ended).toBe(1)
          expect((yield* Fiber.join(third!)).lost).toEqual([])
          expect(began).toEqual(["first", "third"])
        })
      )
    )
  })

  it("posts the next job while the thread runs one, and drops others whose callers have left [LIST-5]", async () => {
    const filename = emptyStoreFile()
    const began: Array<string> = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const worker = yield* readingWorker(filename, undefined, () => {}, 2)
          const job = (name: string) =>
            worker.read("1", "followLeads", () => {
              began.push(name)
              return null
            })
          const { postMessage } = Worker.prototype
          const held: Array<() => void> = []
          const hold = function (this: Worker, ...given: Parameters<Worker["postMessage"]>) {
            held.push(() => postMessage.apply(this, given))
          }
          const posted = vi
            .spyOn(Worker.prototype, "postMessage")
            .mockImplementationOnce(hold)
            .mockImplementationOnce(hold)
          const [first, second, third, fourth] = ["first", "second", "third", "fourth"].map((name) =>
            Effect.runFork(job(name))
          )
          yield* Effect.promise(() => vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(2)))
          yield* Fiber.interrupt(third!)
          let ended = 0
          const [thread] = posted.mock.contexts as ReadonlyArray<Worker>
          thread!.on("message", () => ended++)
          expect(began).toEqual(["first", "second"])
          for (const post of held) post()
          // The thread has the second job, whether anybody waits for it or not.
          yield* Fiber.interrupt(second!)
          expect(ended).toBe(2)
          expect((yield* Fiber.join(first!)).lost).toEqual([])
          expect((yield* Fiber.join(fourth!)).lost).toEqual([])
          expect(began).toEqual(["first", "second", "fourth"])
        })
      )
    )
  })

  it("fails all jobs that a thread had when it ended, and runs the next in another [LIST-5]", async () => {
    const filename = emptyStoreFile()
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const worker = yield* readingWorker(filename, undefined, () => {}, 2)
          const follow = worker.read("1", "followLeads", () => null)
          // The thread never gets them.
          const posted = vi
            .spyOn(Worker.prototype, "postMessage")
            .mockImplementationOnce(() => {})
            .mockImplementationOnce(() => {})
          const jobs = [1, 2].map(() => Effect.runFork(Effect.flip(follow)))
          yield* Effect.promise(() => vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(2)))
          const [thread] = posted.mock.contexts as ReadonlyArray<Worker>
          yield* Effect.promise(() => thread!.terminate())
          for (const job of jobs) {
            expect((yield* Fiber.join(job)).reason).toMatch("a thread of the store ended")
          }
          expect((yield* follow).lost).toEqual([])
        })
      )
    )
  })
})

describe("reading in place", () => {
  const inPlace = <A>(
    filename: string,
    use: (read: Effect.Effect.Success<ReturnType<typeof readingInPlace>>["read"]) => Effect.Effect<A, unknown>
  ) =>
    Effect.runPromiseExit(
      Effect.scoped(Effect.flatMap(readingInPlace(filename, undefined), ({ read }) => use(read)))
    )

  it("answers, and fails as the store does where the file can't be read", async () => {
    const read = await inPlace(emptyStoreFile(), (read) => read("1", "followLeads", () => null))
    expect(Exit.isSuccess(read) && read.value.lost).toEqual([])
    const missing = await inPlace(`${emptyStoreFile()}-none`, (read) =>
      Effect.flip(read("1", "listLeads", () => null as never))
    )
    expect(missing).toMatchObject({ value: { reason: "the reading thread failed (SqliteError)" } })
  })

  it("takes an error of a job's program for a defect, of every later job, too", async () => {
    const broken = new RangeError("broken")
    const [first, second] = await Promise.all(
      [1, 2].map((jobs) =>
        inPlace(emptyStoreFile(), (read) =>
          Effect.gen(function* () {
            const job = read("1", "followLeads", () => {
              throw broken
            })
            if (jobs === 2) yield* Effect.exit(job)
            yield* jobs === 2 ? read("1", "followLeads", () => null) : job
          })
        )
      )
    )
    for (const exit of [first!, second!])
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe(broken)
  })

  it("takes an error of a job for a defect of another worker of the store, too", async () => {
    const [broken, failed] = [new RangeError("broken"), { defect: null }]
    const exit = await Effect.runPromiseExit(
      Effect.scoped(
        Effect.gen(function* () {
          const filename = emptyStoreFile()
          const [one, other] = yield* Effect.all([
            readingInPlace(filename, undefined, failed),
            readingInPlace(filename, undefined, failed)
          ])
          const job = one.read("1", "followLeads", () => {
            throw broken
          })
          yield* Effect.exit(job)
          yield* other.read("1", "followLeads", () => null)
        })
      )
    )
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe(broken)
  })
})
