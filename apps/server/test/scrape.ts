import type { TestApp } from './app.ts'

export const metricsToken = 'a-token-for-the-figures'

export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses `/metrics` as a scraper does: every line must be valid. */
export async function scrape(app: TestApp): Promise<readonly Series[]> {
  const response = await app.request('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })
  return parseSeries(await response.text())
}

/** The series of a text. @throws if a line is not of the text format */
export const parseSeries = (text: string): readonly Series[] =>
  text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : [parseLine(line)]))

/** The sum of all series of a name whose labels have these values. */
export function total(series: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const matching = series.filter(
    (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  )
  return matching.reduce((sum, { value }) => sum + value, 0)
}

function parseLine(line: string): Series {
  const [, name, labels = '', value] = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`no line of the text format: ${line}`)
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)]
  if (pairs.map(([pair]) => pair).join('') !== labels) throw new Error(`no labels of the text format: ${line}`)
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, unescaped(text)])),
    value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
}
