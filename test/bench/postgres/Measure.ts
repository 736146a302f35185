/** All measurements on Postgres, as sections of a report. */
import { fileURLToPath } from "node:url"
import type { Progress } from "../BulkLoad.ts"
import { measureReading, type Pace } from "../Reading.ts"
import { limited, orderedSection, pair, readingSections, type Section } from "../Report.ts"
import { bundlePostgresPrograms, importBuilt, startPlainPostgres, startSubject } from "../Servers.ts"
import { openDatabases } from "./Databases.ts"
import { type Figure, measureNodeIngest, measureOutbox, measurePosts } from "./Writing.ts"

interface MeasureOptions {
  readonly leads: ReadonlyArray<number>
  readonly quick: boolean
  readonly pace: Pace
  readonly wanted: (name: string) => boolean
  readonly isReadingWanted: boolean
  readonly progress: Progress
}

/** Observations and deliveries a second of four nodes on two cores. */
const targets: Readonly<Record<string, number>> = {
  "ingest-4-nodes": 5000,
  "lease-and-record-4-nodes": 4000,
  "posts-4-emitters": 4000
}

const lineOf = ({ leads, name, reference, subject }: Figure) => {
  const line =
    reference === null ? limited(name, leads, subject, null) : pair(name, leads, subject, reference, null)
  const target = targets[name]
  if (target === undefined) return line
  const median = [...subject].sort((a, b) => a - b)[Math.floor(subject.length / 2)]!
  return { ...line, target: `≥ ${target.toLocaleString("en")}`, reached: median >= target }
}

/** What one observation or delivery costs. */
const costSection = (title: string, figures: ReadonlyArray<Figure>): Section => ({
  title,
  note: "Microseconds of processor time for each, of the nodes and of Postgres, which other work on the machine changes little.",
  lines: figures.flatMap(({ costs, leads, name, referenceCosts }) =>
    (["nodes", "postgres"] as const)
      .filter((side) => costs[side].length > 0)
      .map((side) => limited(`${name}-${side}-cpu`, leads, costs[side], null, referenceCosts?.[side] ?? null))
  )
})

/** The sections, and facts about the server for the conditions. */
export const measureOnPostgres = async ({
  isReadingWanted,
  leads,
  pace,
  progress,
  quick,
  wanted
}: MeasureOptions): Promise<{
  readonly sections: ReadonlyArray<Section>
  readonly facts: ReadonlyArray<string>
}> => {
  const databases = await openDatabases(progress)
  const programs = await bundlePostgresPrograms()
  const sections: Array<Section> = []
  try {
    for (const size of isReadingWanted ? leads : []) {
      const [subject, plain] = [await databases.of("subject", size), await databases.of("plain", size)]
      const { readings } = await measureReading({
        leads: size,
        pace,
        wanted,
        progress,
        servers: {
          subject: () => startSubject(programs, subject),
          plain: () => startPlainPostgres(programs, plain)
        }
      })
      // The targets are those of the file beside its reference.
      const withoutTargets = readings.map((reading) => ({
        ...reading,
        shape: { name: reading.shape.name, paths: reading.shape.paths, atSmall: 0 }
      }))
      sections.push(
        ...readingSections(withoutTargets).map((section) => ({
          ...section,
          note: "Requests a second over 16 connections to one node; the reference is (e), Fastify and pg over plain tables on the same Postgres.",
          lines: section.lines.map((line) => ({ ...line, target: "", reached: null }))
        }))
      )
    }
    for (const size of wanted("ingest") ? leads : []) {
      const figures = await measureNodeIngest(
        programs.node,
        databases,
        size,
        { ...pace, rounds: quick ? 2 : 3, seconds: quick ? 3 : 6, warmUpSeconds: quick ? 3 : 6 },
        progress
      )
      sections.push({
        title: `Taking in, beside ${size.toLocaleString("en")} leads`,
        note: "Observations a second of all nodes, each a process with two calls of 100 at a time, on the disk when they are answered; the reference is (f). rows-alone writes the same rows and decodes, looks up and counts nothing.",
        lines: figures.map(lineOf)
      })
      sections.push(costSection(`Cost of an observation, beside ${size.toLocaleString("en")} leads`, figures))
    }
    if (wanted("deliveries")) {
      const receiver = fileURLToPath(new URL("../CountingReceiver.mjs", import.meta.url))
      const [rounds, deliveries] = quick ? [2, 16_000] : [3, 48_000]
      const figures = [
        await measureOutbox(programs.node, databases, rounds, deliveries, progress),
        ...(await measurePosts(programs.node, receiver, databases, rounds, deliveries, progress))
      ]
      sections.push({
        title: "Deliveries of four nodes",
        note: "A second, to 16 webhooks: leases and records of four processes without posts between; and signed posts of four emitters, each body and attempt on the disk. posts-alone signs and posts in a loop, without a database.",
        lines: figures.map(lineOf)
      })
      sections.push(costSection("Cost of a delivery", figures))
    }
    if (wanted("deliveries-ordered")) {
      const { measureOrdered } =
        await importBuilt<typeof import("../OrderedDeliveries.ts")>("OrderedDeliveries")
      const receiver = fileURLToPath(new URL("../CountingReceiver.mjs", import.meta.url))
      const size = { rounds: quick ? 2 : 5, events: quick ? 3000 : 10_000 }
      const empty = async () => (await databases.empty()).url
      sections.push(orderedSection(await measureOrdered(receiver, ["Postgres"], size, progress, empty)))
    }
    return { sections, facts: await databases.facts() }
  } finally {
    await databases.close()
  }
}
