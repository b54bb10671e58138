import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isGone } from '../../lib/api.ts'
import { markChanged } from '../../lib/reads.ts'
import { type BulkResult, runBulk } from '../../lib/run-bulk.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import type { BulkRun } from './actions.ts'
import type { Selection } from './use-selection.ts'

type BulkState<Row> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly done: number; readonly total: number }
  | { readonly kind: 'failed'; readonly action: BulkRun<Row>; readonly result: BulkResult<Row> }

export interface Bulk<Row> {
  readonly state: BulkState<Row>
  readonly start: (action: BulkRun<Row>, rows: readonly Row[]) => void
  readonly stop: () => void
  readonly dismiss: () => void
}

/** Runs one action on many rows and reports its progress. Rows that it did not reach or that failed stay selected, if they still exist. */
export function useBulk<Row extends { readonly id: number }>(list: string, selection: Selection<Row>): Bulk<Row> {
  const t = useT()
  const client = useQueryClient()
  const [state, setState] = useState<BulkState<Row>>({ kind: 'idle' })
  const stopper = useRef(new AbortController())
  const run = async (action: BulkRun<Row>, rows: readonly Row[]) => {
    stopper.current = new AbortController()
    setState({ kind: 'running', done: 0, total: rows.length })
    const result = await runBulk({
      rows,
      act: action.act,
      onProgress: (done) => setState({ kind: 'running', done, total: rows.length }),
      signal: stopper.current.signal,
    })
    markChanged(client, { path: `/api/${list}/` })
    const removed = result.failed.filter(({ error }) => isGone(error)).map(({ row }) => row)
    const over = new Set([...result.done, ...removed].map(({ id }) => id))
    selection.keep(rows.filter(({ id }) => !over.has(id)).map(({ id }) => id))
    if (result.done.length > 0) showToast('success', t('bulk.done', { done: result.done.length }))
    setState(result.failed.length === 0 ? { kind: 'idle' } : { kind: 'failed', action, result })
    requestAnimationFrame(catchFocus)
  }
  return {
    state,
    start: (action, rows) => void run(action, rows),
    stop: () => stopper.current.abort(),
    dismiss: () => setState({ kind: 'idle' }),
  }
}

/** Moves the focus to the page's heading, because the pressed button is removed. */
function catchFocus(): void {
  if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
}
