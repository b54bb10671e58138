import { account, log } from '@sluice/contract'
import type { QueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { prefetch } from './preload.ts'
import { readOptions } from './reads.ts'
import { useSession } from './session.ts'
import { useRead } from './use-call.ts'

/** The days whose usage says how long the balance lasts. */
const rateDays = 7
const daySeconds = 86_400

/** A balance that lasts this long is low: enough time to get a new code. */
const lowDays = 3

/** Longer than this is no forecast. */
export const runwayDaysMax = 365

export interface Runway {
  /** Quota used in the last seven days. */
  readonly used: number
  /** Whole days; `null` = nothing was used, so the balance does not end. */
  readonly days: number | null
  readonly isLow: boolean
}

export function runwayOf(balance: number, used: number): Runway {
  const days = used > 0 ? Math.floor((Math.max(0, balance) * rateDays) / used) : null
  return { used, days, isLow: balance <= 0 || (days !== null && days < lowDays) }
}

/** The days of the own use. One request for all pages of the same hour. */
function daysOfUse() {
  return { bucket: 'day' as const, start_timestamp: Math.floor(Date.now() / 3_600_000) * 3_600 - rateDays * daySeconds }
}

const freshMs = 60_000

/** For a page that shows the runway at first. */
export function startRunway(client: QueryClient): void {
  prefetch(client, readOptions(account.self, {}, { freshMs }))
  prefetch(client, readOptions(log.seriesSelf, daysOfUse(), { freshMs }))
}

/** How long the own balance lasts at the rate of the last seven days; `undefined` = not known yet. */
export function useRunway(): Runway | undefined {
  const { isSignedIn } = useSession()
  const [input] = useState(daysOfUse)
  const { data: self } = useRead(account.self, { input: {}, isEnabled: isSignedIn, freshMs })
  const { data: points } = useRead(log.seriesSelf, {
    input,
    isEnabled: isSignedIn,
    freshMs,
    isSilent: true,
  })
  if (self === undefined || points === undefined) return undefined
  return runwayOf(
    self.quota,
    points.reduce((sum, { quota }) => sum + quota, 0),
  )
}
