import { readSources } from '../sources.ts'
import { analyzeExpression } from './analyze-expression.ts'
import { boundedExpressions, computedExpressions } from './bounded-expressions.ts'
import { timeExpression } from './judge-expression.ts'
import { describeOffender, measureAll } from './measure-all.ts'
import { readProven, writeProven } from './proven-expressions.ts'
import { readExpressions } from './read-expressions.ts'
import { keyOf } from './read-functions.ts'
import { readSubject } from './read-subject.ts'

// `npm run linear [-- WORDS]`: measures every hostile input of every export, or of those whose names contain the words. `-- expressions`
// analyses new regular expressions and writes proven-expressions.txt.

/** Largest input. */
const bytesMax = 128 * 1024
const wholeRunMs = 12 * 60 * 60 * 1000
/** Time for the analysis of one expression. */
const analysisMs = 60_000

const words = process.argv.slice(2).join(' ')
process.exitCode = (words === 'expressions' ? await proveExpressions() : await measureExports(words)) ? 0 : 1

async function measureExports(part: string): Promise<boolean> {
  const { exports, documents } = await readSubject()
  const chosen = exports.filter((exported) => keyOf(exported).includes(part))
  const assignment = { exports: chosen, documents, firstCase: 0, casesMax: null, seed: 0, bytesMax }
  const { cases, offenders } = await measureAll(assignment, wholeRunMs, (offender) => console.log(describeOffender(offender)))
  console.log(`${cases} inputs of ${chosen.length} exports measured, ${offenders.length} take too long`)
  return offenders.length === 0 && cases > 0
}

async function proveExpressions(): Promise<boolean> {
  const known = readProven()
  const found = readExpressions(await readSources()).flatMap(({ text, isComputed }) => (isComputed ? [] : [text]))
  const examples = Object.values(computedExpressions).flatMap((rows) => rows.flatMap((row) => row.examples))
  const linear = new Map<string, 'proven' | 'timed'>()
  let isWhole = true
  for (const text of new Set([...found, ...examples])) {
    if (text in boundedExpressions) continue
    const how = known.get(text) ?? (await judgeExpression(text))
    if (how !== null) linear.set(text, how)
    else isWhole = false
  }
  writeProven(linear)
  console.log(`${linear.size} regular expressions are linear`)
  return isWhole
}

async function judgeExpression(text: string): Promise<'proven' | 'timed' | null> {
  const verdict = analyzeExpression(text, analysisMs)
  if (verdict.kind === 'proven') return 'proven'
  const finding = await timeExpression(text, verdict.kind === 'attacked' ? verdict.attack : null)
  if (finding === null) return 'timed'
  console.log(`${text} is not linear: ${describeOffender(finding)}`)
  return null
}
