import type { Histogram } from './histogram.ts'

export type Labels = Readonly<Record<string, string>>

/** One number of a family, or one histogram of it. */
export interface Sample {
  readonly labels?: Labels
  readonly value: number | Histogram
}

/** What stands under one name. The name carries its unit, and a counter ends with `_total`. */
export interface Family {
  readonly name: `sluice_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: () => Iterable<Sample>
}

/** The type of the text below. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** All families in the text format of Prometheus (exposition formats, text format 0.0.4, read 2026-11-21). */
export function exposition(families: readonly Family[]): string {
  return families
    .map((family) => {
      const lines = [...family.samples()].flatMap((sample) => linesOf(family.name, sample))
      const { name, help, type } = family
      return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')
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
