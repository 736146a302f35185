/**
 * Reads a Dockerfile, and runs its steps without Docker: each stage in a folder of its own, absolute paths within that folder. It
 * shows that the commands work and that the last stage has what it runs, and nothing of another stage. It knows the instructions that
 * the project's Dockerfile has, and throws at any other.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"

interface Instruction {
  readonly name: string
  readonly text: string
}

export const instructionsOf = (dockerfile: string): ReadonlyArray<Instruction> =>
  dockerfile
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name, text] = /^(\S+)\s+(.*)$/.exec(line.trim())!
      return { name: name!, text: text!.trim().replace(/ {2,}/g, " ") }
    })

/** What the last stage says of the container. */
export interface Built {
  /** The folder that stands for the container's root. */
  readonly root: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly workingFolder: string
  readonly entryPoint: ReadonlyArray<string>
  readonly healthCheck: ReadonlyArray<string>
}

interface Stage {
  readonly name: string
  readonly root: string
  folder: string
  user: string
  environment: Record<string, string>
  entryPoint: ReadonlyArray<string>
  healthCheck: ReadonlyArray<string>
}

/** Absolute paths of the container within a folder. */
const within = (root: string, text: string): string =>
  text.replace(/(^|[\s'"=(])\/(?=(?:build|opt|var)\b)/g, `$1${root}/`)

const assigned = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(/\s+/).map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]))

const copy = (from: string, pattern: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  if (pattern === ".") {
    for (const name of readdirSync(from)) cpSync(join(from, name), join(to, name), { recursive: true })
  } else {
    cpSync(join(from, pattern), join(to, pattern.split("/").at(-1)!), { recursive: true })
  }
}

/** Runs all steps; `context` is the folder that `COPY` copies from, `folder` an empty one. */
export const build = (dockerfile: string, context: string, folder: string): Built => {
  const stages: Array<Stage> = []
  for (const { name, text } of instructionsOf(dockerfile)) {
    const stage = stages.at(-1)!
    switch (name) {
      case "FROM": {
        const label = / AS (\S+)$/i.exec(text)?.[1] ?? String(stages.length)
        const root = join(folder, label)
        mkdirSync(root, { recursive: true })
        stages.push({
          name: label,
          root,
          folder: root,
          user: "root",
          environment: {},
          entryPoint: [],
          healthCheck: []
        })
        break
      }
      case "WORKDIR":
        stage.folder = within(stage.root, text)
        mkdirSync(stage.folder, { recursive: true })
        break
      case "COPY": {
        const [, label, pattern, to] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(text)!
        const other = stages.find((each) => each.name === label)
        const target = join(stage.folder, to!)
        if (label === undefined) copy(context, pattern!, target)
        else copy(other!.root, pattern!.slice(1), target)
        break
      }
      case "RUN":
        // Only root may give files to another account: the test need not be root.
        execFileSync("sh", ["-c", within(stage.root, text.replace(/&& chown \S+ \S+/, ""))], {
          cwd: stage.folder,
          env: { ...process.env, ...stage.environment },
          stdio: "pipe"
        })
        break
      case "ENV":
        stage.environment = { ...stage.environment, ...assigned(text) }
        break
      case "USER":
        stage.user = text
        break
      case "ENTRYPOINT":
        stage.entryPoint = JSON.parse(text)
        break
      case "HEALTHCHECK":
        stage.healthCheck = JSON.parse(text.slice(text.indexOf("CMD ") + 4))
        break
      case "VOLUME":
        if (!existsSync(within(stage.root, text))) throw new Error(`VOLUME ${text} is made by no step`)
        break
      case "EXPOSE":
      case "STOPSIGNAL":
        break
      default:
        throw new Error(`unknown instruction ${name}`)
    }
  }
  const { entryPoint, environment, folder: workingFolder, healthCheck, root, user } = stages.at(-1)!
  return {
    root,
    user,
    healthCheck,
    workingFolder,
    entryPoint: entryPoint.map((each) => within(root, each)),
    environment: Object.fromEntries(
      Object.entries(environment).map(([variable, value]) => [variable, within(root, value)])
    )
  }
}
