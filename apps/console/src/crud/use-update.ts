import type { Endpoint, InputOf } from '@sluice/contract'
import { useCallback } from 'react'
import type { ZodMiniType } from 'zod/mini'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall } from '../lib/use-call.ts'
import type { ListView } from '../lib/use-list.ts'

interface WithId {
  readonly id: number
}

/** A call that changes some fields of a row, and returns the row. */
export type UpdateEndpoint<Row> = Endpoint<ZodMiniType, ZodMiniType<Row>>

export type Update<Row> = (row: Row, change: Partial<Row>) => Promise<void>

/**
 * Changes fields of a listed row: shown at once, replaced by the response, taken back if the server refuses. The notice has an Undo that
 * restores the former values, unless `canRestore` says that the server does not accept them.
 */
export function useUpdate<Row extends WithId>(
  endpoint: UpdateEndpoint<Row>,
  list: Pick<ListView<Row>, 'patch' | 'refresh'>,
  canRestore: (before: Partial<Row>) => boolean = () => true,
): Update<Row> {
  const t = useT()
  const { patch, refresh } = list
  const { mutateAsync: send } = useCall(endpoint, { onDone: (response) => patch(response.id, response), onRefused: refresh })
  return useCallback(
    async (row, change) => {
      const store = async (before: Row, next: Partial<Row>): Promise<Row> => {
        patch(row.id, next)
        try {
          // Holds: `next` has fields of the endpoint's input.
          return await send({ id: row.id, ...next } as InputOf<UpdateEndpoint<Row>>)
        } catch (error) {
          patch(row.id, fieldsOf(before, next))
          throw error
        }
      }
      const response = await store(row, change)
      const before = fieldsOf(row, change)
      // The call itself reports a refusal.
      const undo = () => void store(response, before).catch(() => null)
      showToast('success', t('action.done'), canRestore(before) ? undo : undefined)
    },
    [patch, send, canRestore, t],
  )
}

/** The row's values of the fields that a change has. */
function fieldsOf<Row>(row: Row, change: Partial<Row>): Partial<Row> {
  // Holds: the names are keys of the row, and each member has the row's value.
  return Object.fromEntries((Object.keys(change) as (keyof Row)[]).map((name) => [name, row[name]])) as Partial<Row>
}
