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

/** The longest time that the expression takes for a text of this length, in milliseconds. */
export function longestMs(text: string, length: number, attack: Attack | null): number {
  return Math.max(...textsFor(text, attack).map((make) => leastMs(text, make(length))))
}

function leastMs(text: string, given: string): number {
  const times = [0, 1, 2].map(() => {
    const before = threadMs()
    apply(text, given)
    return threadMs() - before
  })
  return Math.min(...times)
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
function apply(text: string, given: string): unknown {
  const { source, flags } = partsOf(text)
  const expression = new RegExp(source, flags)
  return flags.includes('g') ? given.replace(expression, '') : expression.exec(given)
}
