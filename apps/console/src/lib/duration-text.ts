import { timeBandEnds } from '@sluice/contract'
import type { Translate } from './t.ts'

/** A duration in milliseconds or seconds. */
export function durationText(ms: number, t: Translate): string {
  if (ms < 1_000) return t('time.ms', { ms: Math.round(ms) })
  return t('time.seconds', { seconds: (ms / 1_000).toFixed(ms < 10_000 ? 2 : 1) })
}

/** A band of `timeBandEnds` by its index: "1 s to 2 s". */
export function bandText(band: number, t: Translate): string {
  const [from, to] = [timeBandEnds[band - 1], timeBandEnds[band]]
  const text = (ms: number) => durationText(ms, t).replace(/\.0+(?= )/, '')
  if (to === undefined) return t('time.band.from', { from: text(from ?? 0) })
  return from === undefined ? t('time.band.to', { to: text(to) }) : t('time.band', { from: text(from), to: text(to) })
}
