import { type ChannelRow, channel } from '@sluice/contract'
import { useCallback, useState } from 'react'
import { call, isGone, toastError } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import type { ListView } from '../../lib/use-list.ts'

/** Longer than the server's timeout for a query to a vendor. */
const timeoutMs = 30_000

export interface BalanceQuery {
  readonly isAsking: (id: number) => boolean
  /** Shows the outcome as a toast. */
  readonly run: (row: ChannelRow) => Promise<void>
  /** Shows nothing; throws if the query failed. */
  readonly runQuietly: (row: ChannelRow) => Promise<unknown>
}

/** Asks vendors for the balances of channels. */
export function useChannelBalance({ patch, refresh }: Pick<ListView<ChannelRow>, 'patch' | 'refresh'>): BalanceQuery {
  const t = useT()
  const [asking, setAsking] = useState<ReadonlySet<number>>(new Set())
  const runQuietly = useCallback(
    async ({ id }: ChannelRow) => {
      setAsking((all) => new Set(all).add(id))
      try {
        const { balance } = await call(channel.updateBalance, { id }, { timeoutMs })
        patch(id, { balance, balance_updated_time: Math.floor(Date.now() / 1000) })
      } finally {
        setAsking((all) => new Set([...all].filter((other) => other !== id)))
      }
    },
    [patch],
  )
  const run = useCallback(
    async (row: ChannelRow) => {
      try {
        await runQuietly(row)
        showToast('success', t('channel.balance.updated'))
      } catch (error) {
        toastError(error)
        if (isGone(error)) refresh()
      }
    },
    [runQuietly, refresh, t],
  )
  return { isAsking: (id) => asking.has(id), run, runQuietly }
}
