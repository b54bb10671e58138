import type { Plan } from './plan.ts'

/** The kinds of imported rows, in the order of import. */
export const kinds = ['user', 'token', 'channel', 'redemption', 'option', 'log'] as const
export type Kind = (typeof kinds)[number]

/** The counts and reasons for the rows of one kind. */
export interface Tally {
  read: number
  taken: number
  there: number
  leftOut: number
  refused: number
  /** Every row that was left out, and why. */
  readonly omissions: string[]
  /** Every row that was refused, and why. */
  readonly refusals: string[]
  /** Every row that was taken with a change, and which. */
  readonly changes: string[]
}

/** Most lines that are kept for a kind; further ones are only counted. */
const linesMax = 10_000

export function newTally(): Tally {
  return { read: 0, taken: 0, there: 0, leftOut: 0, refused: 0, omissions: [], refusals: [], changes: [] }
}

/** Counts a row. @returns what to write for it */
export function count<Planned>(tally: Tally, label: string, plan: Plan<Planned>): readonly Planned[] {
  tally.read += 1
  switch (plan.do) {
    case 'take':
      tally.taken += 1
      for (const note of plan.notes) keep(tally.changes, `${label}: ${note}`)
      return [plan.value]
    case 'leave':
      tally.there += 1
      return []
    case 'leave out':
      tally.leftOut += 1
      keep(tally.omissions, `${label}: ${plan.why}`)
      return []
    case 'refuse':
      tally.refused += 1
      keep(tally.refusals, `${label}: ${plan.why}`)
      return []
  }
}

function keep(lines: string[], line: string): void {
  if (lines.length < linesMax) lines.push(line)
}
