import { searchTextMax } from '@sluice/contract'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type ListSearch, readListSearch } from './list-search.ts'
import { useAddress } from './use-address.ts'

export { searchTextMax }

/** Reads one search parameter of an address, which a user may have typed. `undefined` = not set, or invalid. */
export type FilterReader<Value> = (raw: unknown) => Value | undefined

/** The filters of a list or a chart, by their names in the address. */
export type FilterSchema = Readonly<Record<string, FilterReader<string | number>>>

/** A filter that is not set is missing. */
export type FiltersOf<Schema extends FilterSchema> = { readonly [Name in keyof Schema]?: NonNullable<ReturnType<Schema[Name]>> }

/** The router parses values that look like JSON as such. */
const textOf = (raw: unknown): string => (['string', 'number', 'boolean'].includes(typeof raw) ? String(raw).trim() : '')

export const textFilter: FilterReader<string> = (raw) => textOf(raw).slice(0, searchTextMax) || undefined

/** A whole number above 0. */
export const numberFilter: FilterReader<number> = (raw) => {
  const number = Math.trunc(Number(textOf(raw)))
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

export function choiceFilter<Choice extends string | number>(choices: readonly Choice[]): FilterReader<Choice> {
  return (raw) => choices.find((choice) => choice !== '' && String(choice) === textOf(raw))
}

type RawSearch = Readonly<Record<string, unknown>>

export function readFilters<Schema extends FilterSchema>(schema: Schema, raw: RawSearch): FiltersOf<Schema> {
  const read = Object.entries(schema).map(([name, reader]) => [name, reader(raw[name])] as const)
  // Holds: each member comes from the reader of its name.
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as FiltersOf<Schema>
}

/** Reads the search parameters of a list with these filters. */
export function listSearchReader<Schema extends FilterSchema>(schema: Schema): (raw: RawSearch) => ListSearch & FiltersOf<Schema> {
  return (raw) => ({ ...readListSearch(raw), ...readFilters(schema, raw) })
}

export interface Filters<Schema extends FilterSchema> {
  readonly values: FiltersOf<Schema>
  /** Changes the given filters; `undefined` and empty remove one. Lists return to their first page and close the details of a row. */
  readonly set: (change: { readonly [Name in keyof Schema]?: string | number | undefined }) => void
  /** Removes all filters; `null` = none is set. */
  readonly clear: (() => void) | null
}

/** Removes some of the filters; `null` = none of them is set. */
export function clearOf<Schema extends FilterSchema>(
  { values, set }: Pick<Filters<Schema>, 'values' | 'set'>,
  names: readonly (keyof Schema)[],
): (() => void) | null {
  if (names.every((name) => values[name] === undefined)) return null
  // Holds: the names are those of the schema.
  return () => set(Object.fromEntries(names.map((name) => [name, undefined])) as Parameters<typeof set>[0])
}

/** The filters in the address, so that a view is a link. Pass a schema that stands outside of components. */
export function useFilters<Schema extends FilterSchema>(schema: Schema): Filters<Schema> {
  const search = useSearch({ strict: false })
  const change = useAddress()
  const values = useMemo(() => readFilters(schema, { ...search }), [schema, search])
  const set = useCallback(
    (next: Readonly<Record<string, string | number | undefined>>) => change({ ...next, page: 1, row: undefined }),
    [change],
  )
  const clear = useCallback(() => set(Object.fromEntries(Object.keys(schema).map((name) => [name, undefined]))), [schema, set])
  return { values, set, clear: Object.keys(values).length === 0 ? null : clear }
}
