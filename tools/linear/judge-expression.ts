import type { Attack } from './analyze-expression.ts'
import { attackText } from './analyze-expression.ts'
import { expressionTexts } from './expression-texts.ts'
import { type Case, type Finding, judge } from './measure.ts'
import { partsOf } from './read-expressions.ts'
import { threadMs } from './thread-time.ts'

/** Largest text that an expression without a bound gets here. */
const bytesMax = 32 * 1024

/** Applies an expression to hostile texts that grow. @returns `null`: it is linear */
export async function timeExpression(text: string, attack: Attack | null): Promise<Finding | null> {
  for (const test of casesOf(text, attack)) {
    const finding = await judge(test, bytesMax)
    if (finding !== null) return finding
  }
  return null
}

/** Whether the expression takes less than so many milliseconds for each text of this length. A slow run is repeated: only the least time counts. */
export function isFasterThan(maxMs: number, text: string, { length, attack }: Longest): boolean {
  return textsFor(text, attack).every((make) => {
    const subject = make(length)
    return [0, 1, 2].some(() => timeOf(text, subject) < maxMs)
  })
}

interface Longest {
  readonly length: number
  readonly attack: Attack | null
}

function timeOf(text: string, subject: string): number {
  const before = threadMs()
  apply(text, subject)
  return threadMs() - before
}

function casesOf(text: string, attack: Attack | null): readonly Case[] {
  return textsFor(text, attack).map((make) => ({
    name: `${text}: ${JSON.stringify(make(16))}`,
    prepare(length) {
      const input = make(length)
      return { input: null, call: () => apply(text, input) }
    },
    factorMax: Number.POSITIVE_INFINITY,
  }))
}

function textsFor(text: string, attack: Attack | null): readonly ((length: number) => string)[] {
  const own = attack === null ? [] : [(length: number) => attackText(attack, length)]
  return [...own, ...expressionTexts(text)]
}

/** Finds every match, as replacing and splitting do. */
function apply(text: string, subject: string): unknown {
  const { source, flags } = partsOf(text)
  const expression = new RegExp(source, flags)
  return flags.includes('g') ? subject.replace(expression, '') : expression.exec(subject)
}
