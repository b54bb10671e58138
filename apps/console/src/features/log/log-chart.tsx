import { lazy, Suspense } from 'react'
import type { ChartPanelProps } from './chart-panel.tsx'

const ChartPanel = lazy(async () => ({ default: (await import('./chart-panel.tsx')).ChartPanel }))

/** Usage over time, above the rows; its code is loaded after theirs. */
export function LogChart(props: ChartPanelProps) {
  return (
    <Suspense fallback={<div aria-hidden className="mb-3 h-34 max-sm:touch:h-43.5 rounded-md border bg-surface" />}>
      <ChartPanel {...props} />
    </Suspense>
  )
}
