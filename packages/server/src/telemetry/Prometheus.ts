/**
 * Renders Effect's metrics in Prometheus' text format 0.0.4, the way effect 4's
 * observability/PrometheusMetrics does.
 */
import { Metric, MetricKeyType, type MetricLabel, MetricState } from "effect"

const nameOf = (name: string): string => name.replace(/[^a-zA-Z0-9_:]/g, "_").replace(/^(?=[0-9])/, "_")
const helpOf = (text: string): string => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")
const valueOf = (value: number | bigint): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

/** Labels in which Metric.timer and similar metrics put their unit. */
const units = new Set(["unit", "time_unit"])

const labelsOf = (tags: ReadonlyArray<MetricLabel.MetricLabel>, more?: readonly [string, string]): string => {
  const given = tags.filter(({ key }) => !units.has(key)).map(({ key, value }) => [key, value] as const)
  const labels = [...given, ...(more === undefined ? [] : [more])].map(
    ([key, value]) => `${nameOf(key).replace(/:/g, "_")}="${helpOf(value).replace(/"/g, '\\"')}"`
  )
  return labels.length === 0 ? "" : `{${labels.join(",")}}`
}

interface Family {
  readonly type: string
  readonly help: string
  readonly lines: Array<string>
}

/** The samples of one metric with one set of labels. */
const samples = (
  name: string,
  tags: ReadonlyArray<MetricLabel.MetricLabel>,
  state: MetricState.MetricState.Untyped
): Array<string> => {
  const line = (suffix: string, value: number | bigint, more?: readonly [string, string]): string =>
    `${name}${suffix}${labelsOf(tags, more)} ${valueOf(value)}`
  if (MetricState.isCounterState(state)) return [line("", state.count)]
  if (MetricState.isGaugeState(state)) return [line("", state.value)]
  if (MetricState.isFrequencyState(state))
    return [...state.occurrences].map(([key, count]) => line("", count, ["key", key]))
  if (MetricState.isHistogramState(state)) {
    return [
      ...state.buckets
        .filter(([bound]) => bound !== Infinity)
        .map(([bound, count]) => line("_bucket", count, ["le", String(bound)])),
      line("_bucket", state.count, ["le", "+Inf"]),
      line("_sum", state.sum),
      line("_count", state.count)
    ]
  }
  if (MetricState.isSummaryState(state)) {
    return [
      ...state.quantiles.flatMap(([quantile, value]) =>
        value._tag === "Some" ? [line("", value.value, ["quantile", String(quantile)])] : []
      ),
      line("_sum", state.sum),
      line("_count", state.count)
    ]
  }
  return []
}

/**
 * Renders the metrics whose name `isIncluded` accepts. By default it leaves out Effect's own fiber metrics,
 * which are in milliseconds and in 35 buckets.
 */
export const render = (
  isIncluded: (name: string) => boolean = (name) => !name.startsWith("effect_")
): string => {
  const families = new Map<string, Family>()
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    if (!isIncluded(metricKey.name)) continue
    const { keyType } = metricKey
    const isMonotonic =
      (MetricKeyType.isCounterKey(keyType) && keyType.incremental) || MetricKeyType.isFrequencyKey(keyType)
    const type = isMonotonic
      ? "counter"
      : MetricKeyType.isHistogramKey(keyType)
        ? "histogram"
        : MetricKeyType.isSummaryKey(keyType)
          ? "summary"
          : "gauge"
    const base = nameOf(metricKey.name)
    const name = isMonotonic && !base.endsWith("_total") ? `${base}_total` : base
    const family = families.get(name) ?? {
      type,
      help: metricKey.description._tag === "Some" ? metricKey.description.value : "",
      lines: []
    }
    families.set(name, family)
    // A second type under one name would make the whole page invalid.
    if (family.type === type) family.lines.push(...samples(name, metricKey.tags, metricState))
  }
  return [...families]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { type, help, lines }]) =>
        `${help === "" ? "" : `# HELP ${name} ${helpOf(help)}\n`}# TYPE ${name} ${type}\n${lines.join("\n")}\n`
    )
    .join("")
}
