import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const path = join(import.meta.dir, 'proven-expressions.txt')

/**
 * Expressions that are linear: `proven` by the analysis, or `timed`, where it is undecided, with hostile texts made of their own words.
 * `npm run linear -- expressions` writes the file.
 */
export type ProvenExpressions = ReadonlyMap<string, 'proven' | 'timed'>

export function readProven(): ProvenExpressions {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.startsWith('proven ') ? 'proven' : 'timed']))
}

export function writeProven(expressions: ProvenExpressions): void {
  const lines = [...expressions].map(([text, how]) => `${how} ${text}`)
  writeFileSync(path, `${lines.toSorted().join('\n')}\n`)
}
