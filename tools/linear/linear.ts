import { parseArgs } from 'node:util'
import { readSources } from '../sources.ts'
import { analyzeExpression } from './analyze-expression.ts'
import { rankBy } from './assignment.ts'
import { boundedExpressions, computedExpressions } from './bounded-expressions.ts'
import { timeExpression } from './judge-expression.ts'
import { describeOffender, type Measured, measureAll } from './measure-all.ts'
import { readProven, writeProven } from './proven-expressions.ts'
import { readExpressions } from './read-expressions.ts'
import { keyOf } from './read-functions.ts'
import { readSubject } from './read-subject.ts'
import { seedOfDay } from './seed.ts'

const help = `npm run linear [-- OPTIONS] [WORDS]

Measures every hostile input of every export, or of those whose names (file#name) contain the words. Exits with 1 if one of them takes too long.

  expressions      analyse new regular expressions instead, and write proven-expressions.txt
  --minutes N      stop after N minutes. Exports that were not reached are listed, and the exit code is 1, because nothing is known about them.
                   The order changes every day; LINEAR_SEED repeats it.
  --partial        with --minutes: exit with 0 although exports were not reached
  --help           this text`

/** Largest input. */
const bytesMax = 128 * 1024
const wholeRunMinutes = 12 * 60
/** Time for the analysis of one expression. */
const analysisMs = 60_000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, partial: { type: 'boolean' }, help: { type: 'boolean' } },
})
process.exitCode = (await run(positionals.join(' '))) ? 0 : 1

async function run(words: string): Promise<boolean> {
  if (options.help === true) {
    console.log(help)
    return true
  }
  if (words === 'expressions') return await proveExpressions()
  const minutes = options.minutes === undefined ? null : Number(options.minutes)
  if (minutes !== null && !(minutes > 0)) throw new Error('--minutes must be a positive number')
  return await measureExports(words, minutes)
}

async function measureExports(words: string, minutes: number | null): Promise<boolean> {
  const { exports, documents } = await readSubject()
  const selected = exports.filter((exported) => keyOf(exported).includes(words))
  // So that runs whose time is over have measured different ones.
  const ranked = minutes === null ? selected : rankBy(selected, keyOf, seedOfDay)
  const parts = ranked.map((exported) => ({ exported, casesMax: null }))
  const assignment = { parts, documents, firstCase: 0, seed: seedOfDay, bytesMax, cpuMsMax: null }
  const measured = await measureAll(assignment, (minutes ?? wholeRunMinutes) * 60_000, (offender) =>
    console.log(describeOffender(offender)),
  )
  return reportMeasured(measured, selected.length)
}

function reportMeasured({ cases, unread, offenders, unreached }: Measured, exports: number): boolean {
  for (const key of unreached) console.log(`not reached: ${key}`)
  const counts = [`${cases} inputs of ${exports - unreached.length} exports measured`, `${unread} left out, because they are not read`]
  const order = unreached.length > 0 ? ` (LINEAR_SEED=${seedOfDay})` : ''
  console.log([...counts, `${offenders.length} take too long`, `${unreached.length} exports not reached${order}`].join(', '))
  return offenders.length === 0 && cases > 0 && (unreached.length === 0 || options.partial === true)
}

async function proveExpressions(): Promise<boolean> {
  const proven = readProven()
  const literals = readExpressions(await readSources()).flatMap(({ text, isComputed }) => (isComputed ? [] : [text]))
  const examples = Object.values(computedExpressions).flatMap((rows) => rows.flatMap((row) => row.examples))
  const linear = new Map<string, 'proven' | 'timed'>()
  let isWhole = true
  for (const text of new Set([...literals, ...examples])) {
    if (text in boundedExpressions) continue
    const verdict = proven.get(text) ?? (await judgeExpression(text))
    if (verdict !== null) linear.set(text, verdict)
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
