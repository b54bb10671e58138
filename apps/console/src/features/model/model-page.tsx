import { type ModelRow, model } from '@sluice/contract'
import { Boxes } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { clearOf, useFilters } from '../../lib/filters.ts'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { usePlaceholder } from '../../lib/use-slow-wait.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { Segments } from '../../ui/segments.tsx'
import { ModelBones } from './model-bones.tsx'
import { ModelCards } from './model-cards.tsx'
import { matches } from './model-match.ts'
import { inOrder, modelSorts } from './model-order.ts'
import { modelFilters, type PriceUnit, priceUnits } from './model-search.ts'
import { ModelTools } from './model-tools.tsx'

/** A table is for wide screens only, and the sheet is opened by a press. */
const ModelTable = lazy(async () => ({ default: (await import('./model-table.tsx')).ModelTable }))
const ModelSheet = lazy(async () => ({ default: (await import('./model-sheet.tsx')).ModelSheet }))

const freshMs = 30_000

export const preload: Preload = (client) => prefetch(client, readOptions(model.list, {}, { freshMs }))

/** Every model that the reader may use, with its prices. Also a page for customers, if an option shows it to visitors. */
export function ModelPage() {
  const t = useT()
  const { isSignedIn } = useSession()
  const read = useRead(model.list, { input: {}, freshMs })
  return (
    <Page title={t('model.title')} lead={t(isSignedIn ? 'model.lead' : 'model.lead.visitor')}>
      {read.isLoadingError ? (
        <ReadGate read={read} isWide>
          {() => null}
        </ReadGate>
      ) : read.data?.length === 0 ? (
        <NoModels />
      ) : (
        <Models rows={read.data ?? null} refresh={() => void read.refetch()} />
      )}
    </Page>
  )
}

function NoModels() {
  const t = useT()
  const { isAdmin } = useSession()
  return (
    <div className="rounded-md border bg-surface">
      <EmptyState
        icon={<Boxes />}
        title={t('model.none')}
        text={t(isAdmin ? 'model.none.admin' : 'model.none.text')}
        action={isAdmin ? <NewLink to="/channel/add" label={t('model.none.new')} /> : undefined}
      />
    </div>
  )
}

/** The filters beside the search. */
const narrowing = ['kind', 'vendor', 'input', 'output', 'can'] as const

/** Rows that are shown at first, and added with each press of the button below. */
const pageRows = 100

interface ModelsProps {
  /** `null` = they are being loaded; the tools are there already. */
  readonly rows: readonly ModelRow[] | null
  readonly refresh: () => void
}

function Models({ rows: loaded, refresh }: ModelsProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const rows = loaded ?? []
  const isHeld = usePlaceholder(loaded === null)
  const search = useFilters(modelFilters)
  const { values: filters, set: change } = search
  const clear = clearOf(search, ['q', ...narrowing])
  const { quotaPerUnit } = useMoney()
  const [visibleCount, setVisibleCount] = useState(pageRows)
  const unit: PriceUnit = filters.unit ?? 'money'
  const sort = modelSorts.find((one) => one === filters.sort)
  const matching = inOrder(
    rows.filter((row) => matches(row, filters)),
    sort,
  )
  const listed = {
    rows: matching.slice(0, visibleCount),
    unit,
    sort,
    quotaPerDollar: quotaPerUnit,
    onOpen: (name: string) => change({ name }),
  }
  return (
    <>
      <ModelTools {...{ rows, filters, change, refresh }} clear={clearOf(search, narrowing)} />
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="min-h-5 text-sm text-muted">
          {loaded === null ? '' : t('model.count', { count: matching.length })}
        </p>
        <Segments
          label={t('model.unit')}
          value={unit}
          options={priceUnits.map((value) => ({ value, label: t(`model.unit.${value}`) }))}
          onChange={(value) => change({ unit: value === 'money' ? undefined : value })}
        />
      </div>
      {isHeld ? (
        <ModelBones isPhone={isPhone} />
      ) : matching.length === 0 ? (
        <div className="rounded-md border bg-surface">
          <EmptyState
            title={t('model.nothing')}
            action={clear === null ? undefined : <Button onClick={clear}>{t('list.filters.clear')}</Button>}
          />
        </div>
      ) : isPhone ? (
        <ModelCards {...listed} />
      ) : (
        <Suspense fallback={<ModelBones isPhone={false} />}>
          <ModelTable {...listed} />
        </Suspense>
      )}
      {matching.length > visibleCount ? (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => setVisibleCount(visibleCount + pageRows)}>{t('model.more')}</Button>
        </div>
      ) : null}
      <Suspense>
        <ModelSheet
          row={rows.find(({ name }) => name === filters.name)}
          {...{ unit, quotaPerDollar: quotaPerUnit }}
          onClose={() => change({ name: '' })}
        />
      </Suspense>
    </>
  )
}
