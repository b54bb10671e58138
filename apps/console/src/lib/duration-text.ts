import type { Translate } from './t.ts'

/** A duration in milliseconds or seconds. */
export function durationText(ms: number, t: Translate): string {
  if (ms < 1_000) return t('time.ms', { ms: Math.round(ms) })
  return t('time.seconds', { seconds: (ms / 1_000).toFixed(ms < 10_000 ? 2 : 1) })
}
