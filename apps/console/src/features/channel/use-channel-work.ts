import { type ChannelWork, channel } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call, toastError } from '../../lib/api.ts'
import { pause } from '../../lib/pause.ts'
import { captureInFlight, markChanged, refetchNoun } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'

/** While a run is under way, its progress and the list are read at this interval, in milliseconds. */
const stepMs = 2_000
/** For at most this time; afterwards the page is refreshed manually. */
const watchMs = 120_000

/** The calls that start a run, by the button. */
const starts = {
  testAll: { begin: () => call(channel.testAll, { scope: 'all' }), started: 'channel.tests.started' },
  testDisabled: { begin: () => call(channel.testAll, { scope: 'disabled' }), started: 'channel.tests.started' },
  balances: { begin: () => call(channel.updateBalances, {}), started: 'channel.balances.started' },
} as const

type RunName = keyof typeof starts

export interface ChannelWorkView {
  /** The run under way; `null` = none is known. */
  readonly work: ChannelWork | null
  /** A run is being started or is under way. */
  readonly isBusy: boolean
  readonly start: (name: RunName) => void
}

/** Runs over many channels on the server. One that this page started is followed until it ends. */
export function useChannelWork(): ChannelWorkView {
  const t = useT()
  const client = useQueryClient()
  const [work, setWork] = useState<ChannelWork | null>(null)
  const [isStarting, setStarting] = useState(false)
  const watching = useRef(new AbortController())
  useEffect(() => () => watching.current.abort(), [])
  const follow = async (signal: AbortSignal): Promise<void> => {
    for (const endMs = Date.now() + watchMs; Date.now() < endMs; ) {
      const seen = await call(channel.progress, {}, { signal })
      const inFlight = captureInFlight(client)
      await refetchNoun(client, channel.list)
      // The run may have disabled channels, and with them models.
      if (!seen.running) markChanged(client, channel.testAll, inFlight)
      if (signal.aborted) return
      setWork(seen.running ? seen : null)
      if (!seen.running) return showToast('info', t(`channel.work.${seen.work || 'test'}.ended`, countsOf(seen)))
      await pause(stepMs, signal)
    }
  }
  const run = async (name: RunName): Promise<void> => {
    watching.current.abort()
    watching.current = new AbortController()
    const { signal } = watching.current
    setStarting(true)
    try {
      await starts[name].begin()
      showToast('info', t(starts[name].started))
      setStarting(false)
      await follow(signal)
    } catch (error) {
      if (!signal.aborted) toastError(error)
    } finally {
      setStarting(false)
      setWork(null)
    }
  }
  return { work, isBusy: isStarting || work !== null, start: (name) => void run(name) }
}

function countsOf({ done, failed }: ChannelWork) {
  return { done, passed: done - failed, failed }
}
