import { type ChannelRow, type ChannelTestRow, channel, channelTestsKept } from '@sluice/contract'
import { useMemo } from 'react'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import type { Tone } from '../../ui/badge.tsx'
import { formatSeconds, responseTone } from './response-time.ts'
import { barHeight, summaryOf } from './test-summary.ts'

/** All rows of the list share one response for this time. */
const freshMs = 10_000

/** Most channels that the server returns in one call. */
const idsMax = 100

export type TestsOf = ReadonlyMap<number, readonly ChannelTestRow[]>

/** The last tests of the listed channels, oldest first. */
export function useTestHistory(rows: readonly Pick<ChannelRow, 'id'>[]): TestsOf {
  const ids = rows.slice(0, idsMax).map(({ id }) => id)
  const { data } = useRead(channel.tests, { input: { ids: ids.join(',') }, isEnabled: ids.length > 0, freshMs, isSilent: true })
  return useMemo(() => {
    const byChannel = new Map<number, ChannelTestRow[]>()
    for (const test of [...(data ?? [])].reverse()) byChannel.set(test.channel, [...(byChannel.get(test.channel) ?? []), test])
    return byChannel
  }, [data])
}

const fills: Partial<Record<Tone, string>> = {
  green: 'fill-green',
  olive: 'fill-olive',
  yellow: 'fill-yellow',
  red: 'fill-red',
}

/** Height of the line of bars, and width of one with its gap. */
const height = 16
const step = 3

/** The last tests as bars: the higher, the slower. A failed one is a hollow bar of full height. */
export function HealthLine({ tests }: { readonly tests: readonly ChannelTestRow[] }) {
  const t = useT()
  if (tests.length === 0) return <span className="text-muted">{t('channel.health.none')}</span>
  const { passed, median, min, max } = summaryOf(tests)
  const text =
    passed === 0
      ? t('channel.health.allFailed', { count: tests.length })
      : t('channel.health.summary', {
          passed,
          count: tests.length,
          median: formatSeconds(median),
          min: formatSeconds(min),
          max: formatSeconds(max),
        })
  return (
    <span className="inline-flex" title={text}>
      <svg role="img" aria-label={text} width={channelTestsKept * step} height={height} className="block">
        <rect y={height - 1} width={channelTestsKept * step - 1} height={1} className="fill-line" />
        {tests.map((test, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tests may be alike, and their order never changes
          <Bar key={`${test.created_time} ${test.model} ${index}`} test={test} x={(channelTestsKept - tests.length + index) * step} />
        ))}
      </svg>
    </span>
  )
}

function Bar({ test, x }: { readonly test: ChannelTestRow; readonly x: number }) {
  if (!test.passed) return <rect x={x + 0.5} y={0.5} width={1.5} height={height - 1} className="fill-none stroke-red" />
  const bar = barHeight(test.elapsed_time, height)
  return <rect x={x} y={height - bar} width={2} height={bar} className={fills[responseTone(test.elapsed_time)] ?? 'fill-grey'} />
}
