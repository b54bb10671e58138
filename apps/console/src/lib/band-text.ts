import { timeBandEnds } from '@sluice/contract'
import { durationText } from './duration-text.ts'
import type { Translate } from './t.ts'

/** A band of `timeBandEnds` by its index: "1 s to 2 s". */
export function bandText(band: number, t: Translate): string {
  const [from, to] = [timeBandEnds[band - 1], timeBandEnds[band]]
  const text = (ms: number) => durationText(ms, t).replace(/\.0+(?= )/, '')
  if (to === undefined) return t('log.band.from', { from: text(from ?? 0) })
  return from === undefined ? t('log.band.to', { to: text(to) }) : t('log.band', { from: text(from), to: text(to) })
}
