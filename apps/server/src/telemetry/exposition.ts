import { setImmediate } from 'node:timers/promises'
import type { Histogram } from './histogram.ts'

export type Labels = Readonly<Record<string, string>>

/** One number of a family, or one histogram. */
export interface Sample {
  readonly labels?: Labels
  readonly value: number | Histogram
}

/** A metric family. The name ends with its unit, and that of a counter with `_total`. */
export interface Family {
  readonly name: `sluice_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: () => Iterable<Sample>
}

/** The content type of the output. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** Lines written per turn of the event loop, in less than a millisecond. */
const linesAtATime = 500

/**
 * All families in the Prometheus text format (exposition formats, text format 0.0.4, read 2026-11-21). It yields to other work between
 * blocks of lines, so that a scrape does not delay streams. A histogram is written without a pause, so that its numbers are consistent.
 * @param common labels of every series
 */
export async function exposition(families: readonly Family[], common: Labels = {}): Promise<string> {
  const lines: string[] = []
  let pauseAt = linesAtATime
  for (const { name, help, type, samples } of families) {
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`)
    for (const sample of samples()) {
      lines.push(...linesOf(name, { value: sample.value, labels: { ...common, ...sample.labels } }))
      if (lines.length < pauseAt) continue
      await setImmediate()
      pauseAt = lines.length + linesAtATime
    }
  }
  return `${lines.join('\n')}\n`
}

/** Texts of several processes as one: the format wants all series of a family together, below one head. No two texts may have a series in common. */
export function mergeExpositions(texts: readonly string[]): string {
  const heads = new Map<string, string>()
  const series = new Map<string, string[]>()
  for (const text of texts) {
    for (const block of `\n${text}`.trimEnd().split('\n# HELP ').slice(1)) {
      const [help = '', type = '', ...lines] = block.split('\n')
      const [name = ''] = help.split(' ', 1)
      if (!heads.has(name)) heads.set(name, `# HELP ${help}\n${type}`)
      series.set(name, [...(series.get(name) ?? []), ...lines])
    }
  }
  return [...heads].map(([name, head]) => `${[head, ...(series.get(name) ?? [])].join('\n')}\n`).join('')
}

function linesOf(name: string, { labels = {}, value }: Sample): readonly string[] {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  if (typeof value === 'number') return [`${name}${braced(pairs)} ${numberText(value)}`]
  const { bounds, counts, sum } = value
  let count = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, slot) => {
    count += counts[slot] ?? 0
    return `${name}_bucket${braced([...pairs, `le="${numberText(bound)}"`])} ${count}`
  })
  return [...buckets, `${name}_sum${braced(pairs)} ${numberText(sum)}`, `${name}_count${braced(pairs)} ${count}`]
}

function braced(pairs: readonly string[]): string {
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}
