/**
 * Reads OpenTelemetry's standard variables. Unlike the specification, which exports to localhost by default,
 * it exports only when an endpoint or an exporter is named.
 */
import { Either } from "effect"
import { isHttpUrl } from "../HttpUrl.ts"
import type { Environment } from "../Variables.ts"

/** Where traces or metrics are sent. */
export interface Signal {
  readonly url: string
  readonly headers: Record<string, string>
  readonly protocol: "http/json" | "http/protobuf"
  readonly timeoutMillis: number
}

/** Which traces are kept. */
export interface Sampler {
  readonly isParentBased: boolean
  /** The share of traces beginning here that are sampled, from 0 to 1. */
  readonly ratio: number
}

/** The settings of OpenTelemetry that the environment has. */
export interface OtelSettings {
  readonly traces:
    | (Signal & { readonly sampler: Sampler; readonly delayMillis: number; readonly batch: number })
    | null
  readonly metrics: (Signal & { readonly intervalMillis: number }) | null
  readonly resource: { readonly serviceName: string; readonly attributes: Record<string, string> }
}

/** Parses `a=1,b=%20`, the form of OTEL_RESOURCE_ATTRIBUTES and OTEL_EXPORTER_OTLP_HEADERS. */
const pairs = (name: string, text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(",")
      .filter((each) => each.trim() !== "")
      .map((each) => {
        const at = each.indexOf("=")
        if (at < 1) throw new InvalidVariable(`${name} takes pairs like key=value,key=value.`)
        const [key, value] = [each.slice(0, at).trim(), each.slice(at + 1).trim()]
        try {
          return [key, decodeURIComponent(value)] as const
        } catch {
          return [key, value] as const
        }
      })
  )

class InvalidVariable extends Error {}

/** Whether requests can have the headers. */
const areHeaders = (given: Record<string, string>): boolean => {
  try {
    return new Headers(given) instanceof Headers
  } catch {
    return false
  }
}

/** Left: the message of the first bad value, which names its variable. */
export const readOtel = (
  env: Environment,
  defaults: { readonly serviceName: string }
): Either.Either<OtelSettings, string> =>
  Either.try({
    try: () => read(env, defaults),
    catch: (failure) => {
      if (failure instanceof InvalidVariable) return failure.message
      throw failure
    }
  })

/** The variables of an environment. Methods throw `InvalidVariable` for a bad value. */
class Variables {
  private readonly env: Environment

  constructor(env: Environment) {
    this.env = env
  }

  /** The first variable that is set; the specification equates empty with unset. */
  first(...names: ReadonlyArray<string>): { readonly name: string; readonly value: string } | undefined {
    for (const name of names) {
      const value = this.env[name]?.trim()
      if (value !== undefined && value !== "") return { name, value }
    }
    return undefined
  }

  get(name: string): string | undefined {
    return this.first(name)?.value
  }

  /** The first variable that is set as a whole number of at least 1; `otherwise` where none is. */
  positiveInteger(otherwise: number, ...names: ReadonlyArray<string>): number {
    const found = this.first(...names)
    if (found === undefined) return otherwise
    if (!/^0*[1-9][0-9]{0,8}$/.test(found.value))
      throw new InvalidVariable(`${found.name} takes a whole number of at least 1.`)
    return Number(found.value)
  }

  headers(name: string): Record<string, string> {
    const given = pairs(name, this.get(name) ?? "")
    if (!areHeaders(given)) throw new InvalidVariable(`${name} takes names and values of HTTP headers.`)
    return given
  }
}

/** Whether the signal is exported: its exporter is named, or an endpoint is. */
const isExported = (variables: Variables, name: "TRACES" | "METRICS", hasEndpoint: boolean): boolean => {
  const exporter = variables.get(`OTEL_${name}_EXPORTER`)
  const exporters = exporter?.split(",").map((each) => each.trim()) ?? []
  for (const each of exporters) {
    if (!["otlp", "none"].includes(each))
      throw new InvalidVariable(`OTEL_${name}_EXPORTER takes otlp or none.`)
  }
  return !exporters.includes("none") && (hasEndpoint || exporters.length > 0)
}

/** Where a signal is sent; null where it is not exported. */
const signalIn = (variables: Variables, name: "TRACES" | "METRICS"): Signal | null => {
  if (variables.get("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return null
  const endpoint = variables.first(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`, "OTEL_EXPORTER_OTLP_ENDPOINT")
  if (!isExported(variables, name, endpoint !== undefined)) return null
  const format = variables.first(`OTEL_EXPORTER_OTLP_${name}_PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL")
  const protocol = format?.value ?? "http/protobuf"
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    throw new InvalidVariable(`${format!.name} takes http/protobuf or http/json.`)
  }
  const { name: setBy, value } = endpoint ?? { name: null, value: "http://localhost:4318" }
  const url =
    setBy === `OTEL_EXPORTER_OTLP_${name}_ENDPOINT`
      ? value
      : `${value.replace(/\/+$/, "")}/v1/${name.toLowerCase()}`
  // A host and port without a scheme can be read as a URL, too: of the scheme `localhost:`.
  if (!isHttpUrl(url))
    throw new InvalidVariable(
      `${setBy} takes a URL, like http://127.0.0.1:4318, without a user: headers carry credentials.`
    )
  return {
    url,
    protocol,
    headers: {
      ...variables.headers("OTEL_EXPORTER_OTLP_HEADERS"),
      ...variables.headers(`OTEL_EXPORTER_OTLP_${name}_HEADERS`)
    },
    timeoutMillis: variables.positiveInteger(
      10_000,
      `OTEL_EXPORTER_OTLP_${name}_TIMEOUT`,
      "OTEL_EXPORTER_OTLP_TIMEOUT"
    )
  }
}

const samplerIn = (variables: Variables): Sampler => {
  const name = variables.get("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on"
  const [, based, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? []
  if (kind === undefined)
    throw new InvalidVariable(
      "OTEL_TRACES_SAMPLER takes always_on, always_off or traceidratio, or one of them after parentbased_."
    )
  const ratio =
    kind === "always_on"
      ? 1
      : kind === "always_off"
        ? 0
        : Number(variables.get("OTEL_TRACES_SAMPLER_ARG") ?? "1")
  if (!(ratio >= 0 && ratio <= 1))
    throw new InvalidVariable("OTEL_TRACES_SAMPLER_ARG takes a number from 0 to 1.")
  return { isParentBased: based !== undefined, ratio }
}

/**
 * Reads the variables as OpenTelemetry's specification says, where one of a signal goes before the general one. Throws `InvalidVariable`
 * for the first bad value.
 */
const read = (env: Environment, defaults: { readonly serviceName: string }): OtelSettings => {
  const variables = new Variables(env)
  const traces = signalIn(variables, "TRACES")
  const metrics = signalIn(variables, "METRICS")
  const { "service.name": nameOfAttributes, ...attributes } = pairs(
    "OTEL_RESOURCE_ATTRIBUTES",
    variables.get("OTEL_RESOURCE_ATTRIBUTES") ?? ""
  )
  return {
    traces: traces && {
      ...traces,
      sampler: samplerIn(variables),
      delayMillis: variables.positiveInteger(5_000, "OTEL_BSP_SCHEDULE_DELAY"),
      batch: variables.positiveInteger(512, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE")
    },
    metrics: metrics && {
      ...metrics,
      intervalMillis: variables.positiveInteger(60_000, "OTEL_METRIC_EXPORT_INTERVAL")
    },
    resource: {
      serviceName: variables.get("OTEL_SERVICE_NAME") ?? nameOfAttributes ?? defaults.serviceName,
      attributes
    }
  }
}
