import type { AdminLogRow } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { AttemptSpan, FailedAttempt } from './attempt-spans.ts'
import { formatDuration } from './log-format.tsx'

interface AttemptsProps {
  readonly spans: readonly AttemptSpan[]
  readonly row: Pick<AdminLogRow, 'elapsed_time' | 'first_byte_time' | 'channel'>
}

/** The attempts of a request on one line of time, with channel, code and reason of those that failed. */
export function Attempts({ spans, row }: AttemptsProps) {
  const t = useT()
  return (
    <section aria-label={t('log.sheet.waterfall')} className="rounded-md border p-3">
      <h3 className="mb-2 text-sm text-muted">{t('log.sheet.waterfall')}</h3>
      <ol className="space-y-2">
        {spans.map((span) => (
          <Attempt key={span.failed === null ? 'answer' : `${span.from} ${span.failed.channel}`} span={span} row={row} />
        ))}
      </ol>
    </section>
  )
}

function Attempt({ span: { from, to, failed }, row }: Pick<AttemptsProps, 'row'> & { readonly span: AttemptSpan }) {
  const t = useT()
  const { elapsed_time: total, first_byte_time: firstByte, channel } = row
  const percent = (ms: number): string => `${(ms / total) * 100}%`
  const duration = formatDuration(to - from, t) || t('time.ms', { ms: 0 })
  return (
    <li className="text-sm">
      <div className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate font-medium">
          {failed === null ? (
            t('log.sheet.answered', { channel })
          ) : (
            <>
              <bdi title={failed.name}>{failed.name}</bdi> ({failed.channel})
            </>
          )}
        </span>
        <span className="shrink-0 text-muted tabular">{duration}</span>
      </div>
      <div aria-hidden className="relative my-1 h-2 rounded-full bg-sunken">
        <div
          className={cx('absolute inset-y-0 min-w-0.5 rounded-full', failed === null ? 'bg-green' : 'bg-red')}
          style={{ left: percent(from), width: percent(to - from) }}
        />
        {failed === null && firstByte > from ? (
          <div className="absolute -inset-y-0.5 w-0.5 bg-text" style={{ left: percent(Math.min(firstByte, total)) }} />
        ) : null}
      </div>
      {failed === null ? (
        firstByte === 0 ? null : (
          <p className="text-muted">{t('log.sheet.firstByteAt', { time: formatDuration(firstByte, t) })}</p>
        )
      ) : (
        <FailureText failed={failed} />
      )}
    </li>
  )
}

/** Where an attempt was sent, and why it failed. */
export function FailureText({ failed: { address, status, kind, message } }: { readonly failed: FailedAttempt }) {
  return (
    <>
      <code className="block font-mono text-xs break-all">{address}</code>
      <span className="block text-sm text-muted">{status === 0 ? kind : `${status} ${kind}`}</span>
      <span className="block whitespace-pre-wrap text-left">{message}</span>
    </>
  )
}
