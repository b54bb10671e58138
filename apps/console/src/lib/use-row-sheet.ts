import type { Endpoint } from '@sluice/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ZodMiniType } from 'zod/mini'
import { readRow } from './list-search.ts'
import { readOptions } from './reads.ts'
import type { ListView } from './use-list.ts'

type RowEndpoint<Row> = Endpoint<ZodMiniType, ZodMiniType<Row>>

export interface RowSheet<Row> {
  readonly isOpen: boolean
  /** The id in the address, and the last one while the sheet closes. */
  readonly id: number
  /** The row with this id; `undefined` while it loads. */
  readonly row: Row | undefined
  /** The call for a row that is not in the list. */
  readonly read: UseQueryResult<Row>
  readonly open: (row: Row) => void
  /** Opens another row in place of the open one; Back closes the sheet as before. */
  readonly show: (id: number) => void
  readonly close: () => void
}

/** The row whose details are open is in the address: a link opens it, Back closes it. A row that the list has not loaded is read alone. */
export function useRowSheet<Row extends { readonly id: number }>(
  list: Pick<ListView<Row>, 'rows' | 'isLoading'>,
  endpoint: RowEndpoint<Row>,
): RowSheet<Row> {
  const address: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const { row: id } = readRow(address)
  const { open, show, close } = useRowAddress()
  const [lastId, setLastId] = useState(id ?? 0)
  if (id !== undefined && id !== lastId) setLastId(id)
  const listed = list.rows.find((row) => row.id === lastId)
  const read = useQuery({
    ...readOptions(endpoint, { id: lastId }),
    enabled: id !== undefined && listed === undefined && !list.isLoading,
    // The sheet shows the failure.
    meta: { failure: 'silent' },
  })
  return {
    isOpen: id !== undefined,
    id: lastId,
    row: listed ?? read.data,
    read,
    open: (row) => open(row.id),
    show,
    close,
  }
}

/** An opened row is an entry of the history, to which closing returns; a row that a link opened is removed in place. */
function useRowAddress() {
  const navigate = useNavigate()
  const router = useRouter()
  const wasOpenedHere = useRef(false)
  const change = (row: number | undefined, isReplaced: boolean) => {
    // Holds: each list's reader checks the parameters.
    const search = ((old: object) => ({ ...old, row })) as never
    void navigate({ to: '.', replace: isReplaced, resetScroll: false, search })
  }
  return {
    open: (row: number) => {
      wasOpenedHere.current = true
      change(row, false)
    },
    show: (row: number) => change(row, true),
    close: () => {
      if (wasOpenedHere.current) router.history.back()
      else change(undefined, true)
      wasOpenedHere.current = false
    },
  }
}
