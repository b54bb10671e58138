import { type StatusObject, status, version } from '@sluice/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './api.ts'
import type { Money } from './quota.ts'
import { readOptions } from './reads.ts'
import { storage } from './storage.ts'
import { createStore, useStore } from './store.ts'
import { t } from './t.ts'
import { applyDesign } from './theme.ts'
import { showToast } from './toasts.ts'

export const builtInName = 'Sluice'

export const statusQuery = queryOptions({
  ...readOptions(status.get, {}),
  queryFn: async ({ signal }): Promise<StatusObject> => {
    const response = await call(status.get, {}, { signal })
    storage.writeJson('status', response)
    applyDesign(response.theme)
    storage.writeText('quota_per_unit', String(response.quota_per_unit))
    storage.writeText('display_in_currency', String(response.display_in_currency))
    known.set({ status: response, money: moneyOf(response) })
    if (isOtherVersion(response.version)) showToast('info', t('status.newVersion', { version: response.version }))
    return response
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: 1,
  // A failure to load it has its own text.
  meta: { failure: 'status.failed' },
})

/** Whether the server has another version than the page; never in development builds. */
function isOtherVersion(served: string): boolean {
  return served !== '' && served !== version && served !== 'v0.0.0'
}

/** Loads the status, and again when it has changed. Every page has one component that does. */
export function useStatusLoading(): void {
  useQuery(statusQuery)
}

/** The server's status: the current one, or the one of the last visit. Cheap enough for each cell of a list. */
export const knownStatus = (): Partial<StatusObject> => known.get().status

export const useStatus = (): Partial<StatusObject> => useStore(known).status

/** The status of the last visit, which may be of another version: every member may be missing. */
export function storedStatus(): Partial<StatusObject> {
  const stored = storage.readJson('status')
  if (typeof stored !== 'object' || stored === null) return {}
  const texts = Object.entries(stored).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(texts)
}

export const useMoney = (): Money => useStore(known).money

function moneyOf({ quota_per_unit, display_in_currency }: Partial<StatusObject>): Money {
  const stored = Number(storage.readText('quota_per_unit'))
  return {
    quotaPerUnit: quota_per_unit ?? (stored > 0 ? stored : 500_000),
    inCurrency: display_in_currency ?? storage.readText('display_in_currency') === 'true',
  }
}

const known = createStore(lastVisit())

function lastVisit(): { readonly status: Partial<StatusObject>; readonly money: Money } {
  const status = storedStatus()
  return { status, money: moneyOf(status) }
}
