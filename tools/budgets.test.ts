import { expect, test } from 'bun:test'
import { productSources, type Source, withoutComments } from './sources.ts'

/** Lines that hold code. */
const codeLines = (text: string): readonly string[] =>
  withoutComments(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const fileLinesMax = 300
const functionLinesMax = 60
const componentLinesMax = 120
const relayLinesMax = 120
const repeatedShareMax = 0.05
const runLength = 6

test(`no file has more than ${fileLinesMax} lines of code`, () => {
  const long = productSources().filter(({ text }) => codeLines(text).length > fileLinesMax)
  expect(long.map(({ path, text }) => `${path}: ${codeLines(text).length}`)).toEqual([])
})

test(`the one page of the relay fits on ${relayLinesMax} lines`, () => {
  const page = productSources().find(({ path }) => path === 'apps/server/src/relay/relay.ts')
  expect(codeLines(page?.text ?? '').length).toBeLessThanOrEqual(relayLinesMax)
})

/** Functions by their indentation, which the formatter guarantees: from an opening line to the closing brace below it. */
function longFunctions({ path, text }: Source): readonly string[] {
  const lines = withoutComments(text).split('\n')
  const max = path.endsWith('.tsx') ? componentLinesMax : functionLinesMax
  return lines.flatMap((line, start) => {
    const indent = /^(\s*)(?:export )?(?:async )?(?:function\b|const \w+ = (?:async )?\(|(?:async )?\w+\([^)]*\)[^;]*\{$)/.exec(line)?.[1]
    if (indent === undefined || !/[{(]$/.test(line.trimEnd()) || /^\s*(if|for|while|switch|return|expect)\b/.test(line)) return []
    const end = lines.findIndex(
      (other, index) =>
        index > start &&
        /^[})]/.test(other.slice(indent.length)) &&
        other.startsWith(indent) &&
        !/^[})]\s*(:|,? ?\{|=>)/.test(other.slice(indent.length)),
    )
    const length = end === -1 ? 0 : lines.slice(start, end + 1).filter((other) => other.trim() !== '').length
    // A factory holds the functions it makes; each of them is measured by itself.
    const isFactory = lines
      .slice(start, end)
      .some((other) => other.startsWith(`${indent}  return {`) || other.startsWith(`${indent}  return implement(`))
    return length > max && !isFactory ? [`${path}:${start + 1}: ${length} lines`] : []
  })
}

test(`no function has more than ${functionLinesMax} lines of code, no component more than ${componentLinesMax}`, () => {
  expect(productSources().flatMap(longFunctions)).toEqual([])
})

test(`at most ${repeatedShareMax * 100} % of the lines stand again elsewhere`, () => {
  const seen = new Map<string, string>()
  const repeated: string[] = []
  let total = 0
  for (const { path, text } of productSources()) {
    const lines = codeLines(text).filter((line) => !/^(import|export \*)\b/.test(line) && /\w/.test(line))
    total += lines.length
    for (let start = 0; start + runLength <= lines.length; start++) {
      const run = lines.slice(start, start + runLength).join('\n')
      const place = seen.get(run)
      if (place === undefined) seen.set(run, `${path}: ${lines[start]}`)
      else repeated.push(`${path} repeats ${place}`)
    }
  }
  if (repeated.length / total > repeatedShareMax) console.log(repeated.join('\n'))
  expect(repeated.length / total).toBeLessThanOrEqual(repeatedShareMax)
})

test('every type assertion says why it holds', () => {
  const silent = productSources().flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, index) => {
      const code = line.replace(/\/\/.*$/, '').replace(/'[^']*'|`[^`]*`|"[^"]*"/g, "''")
      if (!/[\w)\]}>] as (?!const\b)[A-Z{(\w]/.test(code) || /^\s*(import|export)\b|^\s*\*|^\s*\w+ as \w+,?$/.test(line)) return []
      const around = lines.slice(Math.max(0, index - 3), index + 1).join('\n')
      return /\/\/|\/\*\*|\*\//.test(around) ? [] : [`${path}:${index + 1}: ${line.trim()}`]
    })
  })
  expect(silent).toEqual([])
})

/** Display rules that the specification itself states by type number, and what it says. */
const typeNumbersAllowed: Readonly<Record<string, string>> = {
  'apps/console/src/features/channel/type-rules.ts':
    'balances and composite keys are shown by type number (specification, sections 5 and 9)',
}

test('nothing outside the vendors branches on a channel type', () => {
  const found = productSources().filter(
    ({ path, text }) =>
      !path.startsWith('packages/vendors') && !(path in typeNumbersAllowed) && /\btype\s*[!=]==?\s*\d+/.test(withoutComments(text)),
  )
  expect(found.map(({ path }) => path)).toEqual([])
})
