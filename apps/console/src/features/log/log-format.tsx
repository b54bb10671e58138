import { boundsOfBand, type DurationBand, type LogRow, type Outcome } from '@sluice/contract'
import { bandText } from '../../lib/band-text.ts'
import { abbreviate, exactQuota, formatQuota, group } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { isMessageKey, type Translate, useLocale, useT } from '../../lib/t.ts'
import { formatRelative, formatTime, formatUtc, isoTime } from '../../lib/time.ts'
import { StatusBadge, statusText } from '../../ui/status-badge.tsx'
import { endLooks, logKindOf, logLooks } from './log-looks.ts'

/** A filter by the end of requests. */
export function durationBandText(band: DurationBand | '', t: Translate): string {
  if (band === '') return t('log.duration.any')
  const { measure, index } = boundsOfBand(band)
  return t(`log.duration.${measure}`, { band: bandText(index, t) })
}

export function outcomeText(outcome: Outcome, t: Translate): string {
  if (outcome === '') return t('log.outcome.any')
  return outcome === 'broken' || outcome === 'failures' ? t(`log.outcome.${outcome}`) : statusText(endLooks, outcome, t)
}

export function TypeBadge({ row }: { readonly row: Pick<LogRow, 'type' | 'event'> }) {
  return <StatusBadge looks={logLooks} status={logKindOf(row)} />
}

/** How a response ended; nothing for rows that are not requests. */
export function EndBadge({ reason }: { readonly reason: string }) {
  return reason === '' ? null : <StatusBadge looks={endLooks} status={reason} />
}

export function TimeCell({ seconds }: { readonly seconds: number }) {
  const locale = useLocale()
  const relative = formatRelative(seconds, { nowMs: Date.now(), locale })
  return (
    <time dateTime={isoTime(seconds)} title={`${formatUtc(seconds)} · ${relative}`} className="tabular">
      {formatTime(seconds)}
    </time>
  )
}

/** A count of LLM tokens; 0 is blank. */
export function CountCell({ count }: { readonly count: number }) {
  return count === 0 ? null : <span title={group(count)}>{abbreviate(count)}</span>
}

/** The cost of a row; 0 is blank. */
export function QuotaCell({ quota }: { readonly quota: number }) {
  const money = useMoney()
  return quota === 0 ? null : <span title={exactQuota(quota, money)}>{formatQuota(quota, money)}</span>
}

/** Milliseconds in a readable unit; 0 is blank. */
export function formatDuration(ms: number, t: Translate): string {
  if (ms <= 0) return ''
  return ms < 1_000 ? t('time.ms', { ms }) : t('time.seconds', { seconds: (ms / 1_000).toFixed(2) })
}

export function useUnitName(): (unit: string) => string {
  const t = useT()
  return (unit) => {
    const key = `log.unit.${unit}`
    return isMessageKey(key) ? t(key) : unit
  }
}

/** Counted in thousandths, and shown whole: seconds of audio and video, credits. */
const displayScale: Readonly<Record<string, number>> = { audioMs: 1_000, videoMs: 1_000, credits: 1_000 }

/** Count, unit price and total, in quota. */
export function formatCharge({ unit, count, price }: LogRow['charges'][number]): string {
  const size = displayScale[unit] ?? 1
  return `${formatNumber(count / size)} × ${formatNumber(price * size)} = ${formatNumber(count * price)}`
}

/** At most six decimals, without trailing zeros. */
function formatNumber(value: number): string {
  const [whole = '', part = ''] = String(Number(value.toFixed(6))).split('.')
  return part === '' ? group(Number(whole)) : `${group(Number(whole))}.${part}`
}
