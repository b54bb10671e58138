import { ArrowUp, Pause, Play, Radio } from 'lucide-react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatTime } from '../../lib/time.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { LiveLog } from './use-live-log.ts'

interface LiveProps {
  readonly live: LiveLog
}

/** Switches the watching of the log, and pauses it. */
export function LiveToggle({ live }: LiveProps) {
  const t = useT()
  const { isOn, isPaused, retryAtMs } = live
  const Pausing = isPaused ? Play : Pause
  return (
    <>
      <Button
        size="sm"
        aria-pressed={isOn}
        title={t('log.live.hint')}
        onClick={live.toggle}
        className={cx(isOn && 'border-accent/40! bg-accent-tint! text-accent!')}
      >
        <Radio aria-hidden className={cx('size-4', !isOn && 'text-muted')} />
        {/* The tools of a phone share one row. */}
        <span className="max-sm:sr-only">{t('log.live')}</span>
      </Button>
      {isOn ? (
        <IconButton label={t(isPaused ? 'log.live.resume' : 'log.live.pause')} onClick={live.togglePause}>
          <Pausing aria-hidden className="size-4" />
        </IconButton>
      ) : null}
      {retryAtMs === null ? null : (
        <span className="flex items-center gap-2 text-sm text-red">
          <span role="status">{t('log.live.failed', { time: formatTime(Math.floor(retryAtMs / 1000)).slice(11) })}</span>
          <Button size="sm" onClick={live.retry}>
            {t('action.retry')}
          </Button>
        </span>
      )}
    </>
  )
}

/** New rows that wait, over the head of the table, so that no row moves when it appears. */
export function WaitingRows({ live }: LiveProps) {
  const t = useT()
  const { waiting, added } = live
  return (
    <>
      <span role="status" className="sr-only">
        {waiting > 0 ? t('log.live.waiting.said', { count: waiting }) : added > 0 ? t('log.live.added', { count: added }) : ''}
      </span>
      {waiting === 0 ? null : (
        <div className="relative z-10 h-0">
          <button
            type="button"
            data-waiting
            onClick={live.show}
            className="absolute top-10 left-1/2 inline-flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full border border-accent bg-accent px-3 text-sm font-medium text-on-accent shadow-float hover:bg-accent-strong touch:h-11"
          >
            <ArrowUp aria-hidden className="size-3.5" />
            {t('log.live.waiting', { count: waiting })}
          </button>
        </div>
      )}
    </>
  )
}
