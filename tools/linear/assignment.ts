import type { JsonObject } from '@sluice/vendors/json'
import type { Case, Finding } from './measure.ts'
import type { Exported } from './read-functions.ts'

/** What a process measures. */
export interface Assignment {
  readonly exports: readonly Exported[]
  readonly documents: Readonly<Record<string, readonly JsonObject[]>>
  /** The first case of the first export; those before it were measured. */
  readonly firstCase: number
  /** Most cases of one export; `null`: all of them. */
  readonly casesMax: number | null
  /** Chooses the cases where there are more. */
  readonly seed: number
  /** Largest input. */
  readonly bytesMax: number
}

export type Message =
  | { readonly kind: 'begins'; readonly name: string; readonly exported: number; readonly at: number }
  | { readonly kind: 'found'; readonly finding: Finding }
  | { readonly kind: 'done' }

/** All cases, or some that the seed chooses. */
export function chosenCases(cases: readonly Case[], { casesMax, seed }: Pick<Assignment, 'casesMax' | 'seed'>): readonly Case[] {
  if (casesMax === null || cases.length <= casesMax) return cases
  const ranked = cases.map((test) => ({ test, rank: rankOf(test.name, seed) }))
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, casesMax)
    .map(({ test }) => test)
}

/** A number that is another one for each name and seed (FNV-1a). */
export function rankOf(name: string, seed: number): number {
  let rank = 0x811c9dc5 ^ seed
  for (let at = 0; at < name.length; at += 1) rank = Math.imul(rank ^ name.charCodeAt(at), 0x01000193) >>> 0
  return rank
}
