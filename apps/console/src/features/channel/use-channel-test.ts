import { type ChannelRow, channel } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call, isGone, isRefused, toastError } from '../../lib/api.ts'
import { refetch } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import type { ListView } from '../../lib/use-list.ts'
import { namesIn } from './names-in.ts'
import { testModelOf } from './test-model.ts'

/** Longer than the server's timeout for the first byte of a vendor. */
const timeoutMs = 130_000

export interface ChannelTest {
  /** Row id -> model. */
  readonly chosen: ReadonlyMap<number, string>
  readonly choose: (row: ChannelRow, model: string) => void
  readonly isTesting: (id: number) => boolean
  /** Shows the outcome as a toast. */
  readonly run: (row: ChannelRow) => Promise<void>
  /** Shows nothing; throws if the test failed. */
  readonly runQuietly: (row: ChannelRow) => Promise<unknown>
}

/** Tests channels, each with the model chosen on this page. */
export function useChannelTest({ patch, refresh }: ListView<ChannelRow>): ChannelTest {
  const t = useT()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<ReadonlyMap<number, string>>(new Map())
  const [testing, setTesting] = useState<ReadonlySet<number>>(new Set())
  const choose = useCallback((row: ChannelRow, model: string) => setChosen((all) => new Map(all).set(row.id, model)), [])
  const runQuietly = async (row: ChannelRow) => {
    setTesting((all) => new Set(all).add(row.id))
    try {
      const model = testModelOf(namesIn(row.models), chosen.get(row.id) ?? row.test_model)
      const result = await call(channel.test, { id: row.id, model }, { timeoutMs })
      patch(row.id, { response_time: Math.round(result.time * 1000), test_time: nowSeconds() })
      return result
    } catch (error) {
      // The server stores a failed test with a response time of 0.
      if (isRefused(error)) patch(row.id, { response_time: 0, test_time: nowSeconds() })
      throw error
    } finally {
      void refetch(client, channel.tests)
      setTesting((all) => new Set([...all].filter((id) => id !== row.id)))
    }
  }
  const run = async (row: ChannelRow) => {
    try {
      const { model, time } = await runQuietly(row)
      showToast('success', t('channel.test.done', { name: row.name, model, seconds: time.toFixed(2) }))
    } catch (error) {
      toastError(error)
      if (isGone(error)) refresh()
    }
  }
  return { chosen, choose, isTesting: (id) => testing.has(id), run, runQuietly }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
