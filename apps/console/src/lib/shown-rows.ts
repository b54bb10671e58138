import { useEffect } from 'react'
import { createStore, useStore } from './store.ts'

/** The ids of the rows that the page's list shows, in its order: the open row's neighbours. */
const shown = createStore<readonly number[]>([])

export const useShownRows = (): readonly number[] => useStore(shown)

/** Tells which rows the list shows. */
export function useShowsRows(rows: readonly { readonly id: number }[]): void {
  const key = rows.map(({ id }) => id).join(' ')
  useEffect(() => {
    shown.set(key === '' ? [] : key.split(' ').map(Number))
    return () => shown.set([])
  }, [key])
}
