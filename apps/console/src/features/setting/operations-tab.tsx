import { lazy, Suspense } from 'react'
import { Skeleton } from '../../ui/skeleton.tsx'
import { LogCleaning } from './log-cleaning.tsx'
import type { SectionParts } from './option-section.tsx'
import { OptionsTab } from './options-tab.tsx'
import type { TabProps } from './use-option-form.ts'

const RatioTable = lazy(async () => ({ default: (await import('./ratio-table.tsx')).RatioTable }))

const extras = { 'operations.log': { below: LogCleaning }, 'operations.ratios': { above: Prices } } as const

export function OperationsTab({ form }: TabProps) {
  return <OptionsTab tab="operations" form={form} extras={extras} />
}

function Prices(parts: SectionParts) {
  return (
    <Suspense fallback={<Skeleton className="h-106 w-full" />}>
      <RatioTable {...parts} />
    </Suspense>
  )
}
