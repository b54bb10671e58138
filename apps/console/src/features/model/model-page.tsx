import { type ModelRow, model, modelKinds } from '@sluice/contract'
import { Boxes } from 'lucide-react'
import { useState } from 'react'
import { type Filters, useFilters } from '../../lib/filters.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { usePlaceholder } from '../../lib/use-slow-wait.ts'
import { vendorByType, vendorName } from '../../lib/vendors.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { SearchField } from '../../ui/table/search-box.tsx'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { ModelBones } from './model-bones.tsx'
import { ModelCards } from './model-cards.tsx'
import { inOrder } from './model-order.ts'
import { type ModelFilters, modelFilters, modelSorts, type PriceUnit, priceUnits } from './model-search.ts'
import { ModelSheet } from './model-sheet.tsx'
import { ModelTable } from './model-table.tsx'

/** Every model that the reader may use, with its prices. Also a page for customers, if an option shows it to visitors. */
export function ModelPage() {
  const t = useT()
  const { isSignedIn } = useSession()
  const read = useRead(model.list, { input: {}, freshMs: 30_000 })
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

/** Rows that are drawn at first, and with each press of the button below. */
const pageRows = 100

interface ModelsProps extends Pick<ToolsProps, 'refresh'> {
  /** `null` = they are being loaded; the tools are there already. */
  readonly rows: readonly ModelRow[] | null
}

function Models({ rows: loaded, refresh }: ModelsProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const rows = loaded ?? []
  const isHeld = usePlaceholder(loaded === null)
  const { values: filters, set: change } = useFilters(modelFilters)
  const { quotaPerUnit } = useMoney()
  const [shown, setShown] = useState(pageRows)
  const unit: PriceUnit = filters.unit ?? 'money'
  const found = inOrder(
    rows.filter((row) => matches(row, filters)),
    filters.sort,
  )
  const listed = { rows: found.slice(0, shown), unit, quotaPerDollar: quotaPerUnit, onOpen: (name: string) => change({ name }) }
  return (
    <>
      <Tools {...{ rows, filters, change, refresh }} />
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="min-h-5 text-sm text-muted">
          {loaded === null ? '' : t('model.count', { count: found.length })}
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
      ) : found.length === 0 ? (
        <div className="rounded-md border bg-surface">
          <EmptyState
            title={t('model.nothing')}
            action={<Button onClick={() => change({ q: '', kind: '', vendor: '' })}>{t('list.filters.clear')}</Button>}
          />
        </div>
      ) : isPhone ? (
        <ModelCards {...listed} />
      ) : (
        <ModelTable {...listed} />
      )}
      {found.length > shown ? (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => setShown(shown + pageRows)}>{t('model.more')}</Button>
        </div>
      ) : null}
      <ModelSheet
        row={rows.find(({ name }) => name === filters.name)}
        {...{ unit, quotaPerDollar: quotaPerUnit }}
        onClose={() => change({ name: '' })}
      />
    </>
  )
}

function matches({ name, kinds, vendors }: ModelRow, { q = '', kind, vendor }: ModelFilters): boolean {
  const words = q.toLowerCase().split(/\s+/)
  const isFound = words.every((word) => name.toLowerCase().includes(word))
  return isFound && (kind === undefined || kinds.includes(kind)) && (vendor === undefined || vendors.includes(vendor))
}

interface ToolsProps {
  readonly rows: readonly ModelRow[]
  readonly filters: ModelFilters
  readonly change: Filters<typeof modelFilters>['set']
  readonly refresh: () => void
}

function Tools({ rows, filters, change, refresh }: ToolsProps) {
  const t = useT()
  const locale = useLocale()
  const box = useSearchBox({ keyword: filters.q ?? '', setKeyword: (q) => change({ q }), refresh })
  const kinds = modelKinds.filter((kind) => rows.some((row) => row.kinds.includes(kind)))
  const types = [...new Set(rows.flatMap(({ vendors }) => vendors))]
  const names = types.flatMap((type) => {
    const vendor = vendorByType(type)
    return vendor === null ? [] : [{ value: type, label: vendorName(vendor, locale) }]
  })
  return (
    <div data-list-tools className="mb-3 flex flex-wrap items-center gap-2">
      <div className="flex w-full sm:w-72">
        <SearchField box={box} label={t('model.search')} />
      </div>
      <Select
        size="sm"
        label={t('model.kind')}
        value={filters.kind ?? ''}
        options={[{ value: '' as const, label: t('model.all') }, ...kinds.map((value) => ({ value, label: t(`model.kind.${value}`) }))]}
        onChange={(kind) => change({ kind })}
      />
      <Select
        size="sm"
        label={t('model.vendor')}
        value={filters.vendor ?? 0}
        options={[{ value: 0, label: t('model.all') }, ...names.sort((one, other) => one.label.localeCompare(other.label))]}
        onChange={(vendor) => change({ vendor: vendor === 0 ? undefined : vendor })}
      />
      <Select
        size="sm"
        label={t('model.sort')}
        value={filters.sort ?? 'name'}
        options={(['name', ...modelSorts] as const).map((value) => ({ value, label: t(`model.sort.${value}`) }))}
        onChange={(sort) => change({ sort: sort === 'name' ? undefined : sort })}
      />
    </div>
  )
}
