import { isOptionKey, type OptionDetail, type OptionKey, option } from '@sluice/contract'
import { useMemo } from 'react'
import { useRead } from '../../lib/use-call.ts'

/** The values of all options that are not secret, as text. */
export type StoredOptions = ReadonlyMap<OptionKey, string>
export type OptionDetails = ReadonlyMap<string, OptionDetail>

const nothingKnown: OptionDetails = new Map()

export function useStoredOptions() {
  return useRead(option.list, { input: {}, isPreloaded: true })
}

export function toStored(rows: readonly { readonly key: string; readonly value: string }[]): StoredOptions {
  return new Map(rows.flatMap(({ key, value }) => (isOptionKey(key) ? [[key, value] as const] : [])))
}

/** What is known of the options beside their values. Empty until it is loaded: the fields do not wait for it. */
export function useOptionDetails(): { readonly details: OptionDetails; readonly hasReleaseFeed: boolean | null } {
  const { data } = useRead(option.details, { input: {}, isPreloaded: true, isSilent: true })
  const details = useMemo(() => (data === undefined ? nothingKnown : new Map(data.options.map((row) => [row.key, row] as const))), [data])
  return { details, hasReleaseFeed: data?.has_release_feed ?? null }
}
