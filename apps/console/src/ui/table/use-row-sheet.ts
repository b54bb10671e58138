import { useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { numberFilter } from '../../lib/filters.ts'
import { useAddress } from '../../lib/use-address.ts'

/** The search parameter with the row whose sheet is open; a list page with a sheet accepts it in its address. */
export const readShown = (raw: Readonly<Record<string, unknown>>): { readonly show?: number } => {
  const show = numberFilter(raw['show'])
  return show === undefined ? {} : { show }
}

export interface RowSheet {
  readonly isOpen: boolean
  /** The row of the sheet; while it closes, the row that it showed last. `null` = none has been shown. */
  readonly id: number | null
  readonly open: (row: { readonly id: number }) => void
  readonly close: () => void
}

/** The sheet of a row. Which row it shows is in the address, so that it can be linked to, and Back closes it. */
export function useRowSheet(): RowSheet {
  const { show } = readShown(useSearch({ strict: false }))
  const change = useAddress()
  const last = useRef<number | null>(null)
  if (show !== undefined) last.current = show
  return {
    isOpen: show !== undefined,
    id: last.current,
    open: ({ id }) => change({ show: id }),
    close: () => change({ show: undefined }),
  }
}
