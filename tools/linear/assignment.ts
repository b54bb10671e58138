import type { JsonObject } from '@sluice/vendors/core/json'
import type { Case, Finding } from './measure.ts'
import type { Exported } from './read-functions.ts'

/** What a process measures. */
export interface Assignment {
  readonly parts: readonly Part[]
  readonly documents: Readonly<Record<string, readonly JsonObject[]>>
  /** The first case of the first part; those before it were measured. */
  readonly firstCase: number
  /** Chooses the cases where a part has more than it may. */
  readonly seed: number
  /** Largest input. */
  readonly bytesMax: number
  /** Processor time after which the process ends; `null`: no limit. */
  readonly cpuMsMax: number | null
}

export interface Part {
  readonly exported: Exported
  /** Most cases of the export; `null`: all of them. */
  readonly casesMax: number | null
}

export type Message =
  | { readonly kind: 'begins'; readonly name: string; readonly part: number; readonly at: number }
  | { readonly kind: 'offends'; readonly finding: Finding }
  /** Every case of a part was measured, apart from those whose hostile place is not read. */
  | { readonly kind: 'ended'; readonly part: number; readonly unread: number }
  | { readonly kind: 'done' }

/** All cases, or some that the seed chooses. */
export function chooseCases(cases: readonly Case[], casesMax: number | null, seed: number): readonly Case[] {
  if (casesMax === null || cases.length <= casesMax) return cases
  return rankBy(cases, ({ name }) => name, seed).slice(0, casesMax)
}

/** The items in an order that is another one for each seed. */
export function rankBy<Item>(items: readonly Item[], nameOf: (item: Item) => string, seed: number): readonly Item[] {
  const ranked = items.map((item) => ({ item, rank: rankOf(nameOf(item), seed) }))
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ item }) => item)
}

/** A number that is another one for each name and seed (FNV-1a). */
export function rankOf(name: string, seed: number): number {
  let rank = 0x811c9dc5 ^ seed
  for (let at = 0; at < name.length; at += 1) rank = Math.imul(rank ^ name.charCodeAt(at), 0x01000193) >>> 0
  return rank
}
