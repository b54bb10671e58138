import { logType } from '@sluice/contract'
import { abbreviate } from '../../lib/quota.ts'
import { useT } from '../../lib/t.ts'
import { ChartCard } from '../../ui/chart/chart-card.tsx'
import { bucketWords } from './dashboard-words.ts'
import type { ChartProps } from './usage-chart.tsx'
import { tokenLines, type UsagePoint } from './usage-lines.ts'

interface TokenChartProps extends ChartProps {
  readonly points: readonly UsagePoint[] | undefined
}

/** What went into models, and what came out of them. */
export function TokenChart({ points, span, buckets, openLog, ...rest }: TokenChartProps) {
  const t = useT()
  const lines =
    points && tokenLines(points, buckets, { input: t('dashboard.column.promptTokens'), output: t('dashboard.column.completionTokens') })
  return (
    <ChartCard
      {...rest}
      title={t('dashboard.tokens')}
      data={lines && { buckets, isWhole: true, lines }}
      words={{ ...bucketWords(span), valueText: abbreviate }}
      onOpen={({ from, to }) => openLog({ type: logType.consume, start: from, end: to - 1 })}
    />
  )
}
