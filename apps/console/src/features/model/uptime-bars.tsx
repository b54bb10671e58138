import { type ModelState, type ModelStatusRow, stateOfShare } from '@sluice/contract'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { nextBar } from '../../ui/chart/next-bar.ts'

type Share = ModelStatusRow['days'][number]

/** What was served, in percent; a failure among many is not rounded away. */
export function shareText(share: Share, t: Translate): string {
  if (share === null) return t('uptime.unknown')
  return t('uptime.share', { percent: share % 100 === 0 ? share / 100 : (share / 100).toFixed(2) })
}

/** The height shows the state without colour, in hundredths. */
const looks: Readonly<Record<ModelState | 'unknown', { readonly fill: string; readonly height: number }>> = {
  up: { fill: 'fill-chart-8', height: 100 },
  degraded: { fill: 'fill-chart-9', height: 70 },
  down: { fill: 'fill-red', height: 40 },
  unknown: { fill: 'fill-line', height: 100 },
}

const lookOf = (share: Share) => looks[share === null ? 'unknown' : stateOfShare(share)]

interface UptimeBarsProps {
  readonly label: string
  readonly shares: readonly Share[]
  readonly timeText: (index: number) => string
}

/** A bar for each slot, oldest first. The pointer or the arrow keys show what a bar says. */
export function UptimeBars({ label, shares, timeText }: UptimeBarsProps) {
  const t = useT()
  const [pointed, setPointed] = useState<number | null>(null)
  const text = pointed === null ? '' : `${timeText(pointed)} · ${shareText(shares[pointed] ?? null, t)}`
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setPointed(Math.max(0, Math.min(shares.length - 1, Math.floor(((clientX - left) / width) * shares.length))))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.key === 'Escape' ? null : nextBar(event.key, pointed, shares.length)
    if (next === null && event.key !== 'Escape') return
    event.preventDefault()
    setPointed(next)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a field set is for fields of a form
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from bar to bar
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setPointed(null)}
      className="relative rounded-sm"
    >
      <svg
        aria-hidden
        viewBox={`0 0 ${shares.length} 100`}
        preserveAspectRatio="none"
        className="block h-8 w-full touch-pan-y"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        {shares.map((share, index) => {
          const isFaded = pointed !== null && pointed !== index
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is the slot
            <g key={index} className={cx(isFaded && 'opacity-60')}>
              <Bar x={index + 0.12} width={0.76} look={lookOf(share)} />
            </g>
          )
        })}
      </svg>
      {pointed === null ? null : (
        <div
          aria-hidden
          className={cx(
            'pointer-events-none absolute bottom-full z-20 mb-1 rounded-sm bg-text px-2 py-1 text-xs whitespace-nowrap text-canvas tabular',
            pointed > shares.length / 2 && '-translate-x-full',
          )}
          style={{ left: `${((pointed + 0.5) / shares.length) * 100}%` }}
        >
          {text}
        </div>
      )}
      <span aria-live="polite" className="sr-only">
        {text}
      </span>
    </div>
  )
}

interface BarProps {
  readonly x: number
  readonly width: number
  readonly look: (typeof looks)[ModelState]
}

/** As high as the others in any state, in a lighter colour. */
function Bar({ x, width, look: { fill, height } }: BarProps) {
  return (
    <>
      {height === 100 ? null : <rect x={x} width={width} height={100} className={cx(fill, 'opacity-30')} />}
      <rect x={x} width={width} y={100 - height} height={height} className={fill} />
    </>
  )
}

/** What the bars mean. */
export function Legend() {
  const t = useT()
  const items = [...(['up', 'degraded', 'down'] as const).map((state) => [state, t(`uptime.legend.${state}`)] as const)]
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
      <ul aria-label={t('uptime.legend')} className="flex flex-wrap gap-x-4 gap-y-1">
        {[...items, ['unknown', t('uptime.unknown')] as const].map(([state, text]) => (
          <li key={state} className="inline-flex items-center gap-1.5">
            <svg aria-hidden viewBox="0 0 4 100" preserveAspectRatio="none" className="h-3 w-1">
              <Bar x={0} width={4} look={looks[state]} />
            </svg>
            {text}
          </li>
        ))}
      </ul>
      <p>{t('uptime.note')}</p>
    </div>
  )
}
