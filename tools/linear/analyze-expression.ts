import { partsOf } from './read-expressions.ts'

// The analysis runs in JavaScript: the package's programs for single systems are faster, but not on every machine.
process.env['RECHECK_BACKEND'] ??= 'pure'
const { checkSync } = await import('recheck')

/** What the analysis says about an expression. */
export type Verdict =
  /** Its automaton was searched through: no text takes longer than a multiple of its length. */
  | { readonly kind: 'proven' }
  /** No attack was found, but not every text was considered, or the time was over. */
  | { readonly kind: 'unproven' }
  | { readonly kind: 'attacked'; readonly attack: Attack }

/** A text that takes long: what is repeated, with what around it. */
export interface Attack {
  readonly prefix: string
  readonly pumps: readonly { readonly prefix: string; readonly pump: string }[]
  readonly suffix: string
}

export function analyzeExpression(text: string, timeoutMs: number): Verdict {
  const { source, flags } = partsOf(text)
  const diagnostics = checkSync(source, flags, { timeout: timeoutMs })
  if (diagnostics.status === 'vulnerable') {
    const { pumps, suffix } = diagnostics.attack
    return { kind: 'attacked', attack: { prefix: '', pumps: pumps.map(({ prefix, pump }) => ({ prefix, pump })), suffix } }
  }
  return { kind: diagnostics.status === 'safe' && diagnostics.checker === 'automaton' ? 'proven' : 'unproven' }
}

/** The attack at about this length. */
export function attackText({ pumps, suffix }: Attack, length: number): string {
  const each = length / Math.max(1, pumps.length)
  return `${pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.max(1, Math.floor(each / pump.length)))).join('')}${suffix}`
}
