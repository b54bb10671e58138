import type { Settings } from '@sluice/contract'

const bytesOfGigabyte = 1_000_000_000

/** Bytes that all accounts may store together, and each of them. */
export function storageOf(
  gigabytes: number,
  { AccountStoragePercent: percent }: Pick<Settings, 'AccountStoragePercent'>,
): { readonly all: number; readonly share: number } {
  const all = gigabytes * bytesOfGigabyte
  return { all, share: Math.floor((all * percent) / 100) }
}
