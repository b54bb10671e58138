import { useEffect } from 'react'
import { createStore, useStore } from './store.ts'

/** The ids of the rows that the page's list shows, in its order: the open row's neighbours. */
const visibleIds = createStore<readonly number[]>([])

export const useVisibleRows = (): readonly number[] => useStore(visibleIds)

/** Registers which rows the list shows. */
export function useShowsRows(rows: readonly { readonly id: number }[]): void {
  const key = rows.map(({ id }) => id).join(' ')
  useEffect(() => {
    visibleIds.set(key === '' ? [] : key.split(' ').map(Number))
    return () => visibleIds.set([])
  }, [key])
}
