import { type RedemptionRow, redemption, redemptionState, redemptionStatus } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { Copy, TicketPercent } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { redemptionLooks, stateOf } from '../../crud/redemption/redemption-looks.ts'
import { RedemptionState } from '../../crud/redemption/redemption-state.tsx'
import { useReplaceCode } from '../../crud/redemption/use-replace-code.ts'
import { type Crud, useCrudActions, useCrudBulk } from '../../crud/use-crud.ts'
import { useUpdate } from '../../crud/use-update.ts'
import { type Filters, readFilters, useFilters } from '../../lib/filters.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { type ListOf, preloadOf, useList } from '../../lib/use-list.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FacetBar } from '../../ui/facet-bar.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { detailsAction, type RowAction } from '../../ui/table/actions.ts'
import type { Card } from '../../ui/table/column.ts'
import {
  ExpiryText,
  idColumn,
  QuotaText,
  quotaColumn,
  statusColumn,
  TimeText,
  textColumn,
  timeColumn,
} from '../../ui/table/column-builders.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { isEmptyList } from '../../ui/table/is-empty-list.ts'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { redemptionFilters } from './redemption-search.ts'

/** The list of a route with these search parameters. */
const listOf: ListOf<RedemptionRow> = (search) => ({
  endpoint: redemption.list,
  search: redemption.search,
  file: redemption.export,
  filters: readFilters(redemptionFilters, search),
})
export const preload = preloadOf(listOf)

const RedemptionSheet = lazy(async () => ({ default: (await import('./redemption-sheet.tsx')).RedemptionSheet }))

const crud: Crud<RedemptionRow> = {
  editPath: '/redemption/edit/$id',
  setStatus: redemption.setStatus,
  remove: redemption.remove,
  statuses: { on: redemptionStatus.unused, off: redemptionStatus.disabled },
  isFinal: ({ status }) => status === redemptionStatus.used,
  texts: { deleteOne: 'redemption.delete.title', deleteMany: 'redemption.delete.many', deleteText: 'redemption.delete.text' },
}

/** The codes themselves, which the table has no column for. */
const exportedCode = ['key']

export function RedemptionListPage() {
  const t = useT()
  const navigate = useNavigate()
  const filters = useFilters(redemptionFilters)
  const list = useList(listOf(filters.values))
  const sheet = useRowSheet<RedemptionRow>(list, redemption.get)
  const box = useSearchBox(list)
  const copy = useCopy(box.show)
  const actions = useCrudActions(crud, list, useUpdate(redemption.setStatus, list))
  const replaceCode = useReplaceCode(list)
  const rowActions = (row: RedemptionRow): readonly RowAction[] => [
    ...(row.unreadable.length > 0
      ? []
      : [{ id: 'copy', label: t('action.copy'), icon: Copy, key: 'c', isInline: true, act: () => copy(row.key) }]),
    actions.edit(row),
    detailsAction(t('action.details'), () => sheet.open(row)),
    actions.toggle(row),
    ...replaceCode(row),
    actions.remove(row),
  ]
  useKey('n', () => void navigate({ to: '/redemption/add' }))
  const newCodes = <NewLink to="/redemption/add" label={t('redemption.new')} />
  return (
    <Page title={t('redemption.title')} lead={t('redemption.lead')} action={isEmptyList(list, filters.clear) ? null : newCodes} isForAdmins>
      <DataTable
        list={list}
        label={t('redemption.title')}
        columns={useColumns()}
        card={redemptionCard}
        rowActions={rowActions}
        alsoExported={exportedCode}
        onOpen={sheet.open}
        toolbar={<StatusFacet filters={filters} />}
        {...(filters.clear !== null && { clearFilters: filters.clear })}
        bulkActions={useCrudBulk(crud, list)}
        searchLabel={t('redemption.search')}
        searchBox={box}
        isForAdmins
        empty={
          <EmptyState icon={<TicketPercent />} title={t('redemption.empty.title')} text={t('redemption.empty.text')} action={newCodes} />
        }
      />
      {sheet.id === 0 ? null : (
        <Suspense fallback={null}>
          <RedemptionSheet sheet={sheet} actions={rowActions} />
        </Suspense>
      )}
    </Page>
  )
}

const redemptionCard = (t: Translate): Card<RedemptionRow> => ({
  title: (row) => row.name,
  badge: (row) => <RedemptionState row={row} />,
  facts: (row) => [
    { label: t('redemption.quota'), value: <QuotaText quota={row.quota} /> },
    { label: t('redemption.created'), value: <TimeText seconds={row.created_time} /> },
    { label: t('redemption.expires'), value: <ExpiryText seconds={row.expired_time} /> },
  ],
})

function StatusFacet({ filters: { values, set, clear } }: { readonly filters: Filters<typeof redemptionFilters> }) {
  const t = useT()
  const options = Object.values(redemptionState).map((value) => ({ value, label: t(`redemption.status.${value}`) }))
  return <FacetBar facets={[{ name: 'status', label: t('redemption.status'), value: values.status, options }]} set={set} clear={clear} />
}

function useColumns() {
  const t = useT()
  return useMemo(
    () => [
      idColumn<RedemptionRow>(t('redemption.id')),
      textColumn<RedemptionRow>({ id: 'name', header: t('redemption.name'), value: ({ name }) => name, isStrong: true }),
      {
        ...statusColumn<RedemptionRow>({ header: t('redemption.status'), looks: redemptionLooks, value: stateOf }),
        cell: (row: RedemptionRow) => <RedemptionState row={row} />,
      },
      quotaColumn<RedemptionRow>({ id: 'quota', header: t('redemption.quota'), value: ({ quota }) => quota }),
      timeColumn<RedemptionRow>({ id: 'created', header: t('redemption.created'), value: ({ created_time }) => created_time }),
      timeColumn<RedemptionRow>({
        id: 'redeemed',
        header: t('redemption.redeemed'),
        value: ({ redeemed_time }) => redeemed_time,
        never: t('redemption.redeemed.never'),
      }),
      timeColumn<RedemptionRow>({
        id: 'expires',
        header: t('redemption.expires'),
        value: ({ expired_time }) => expired_time,
        never: t('time.never'),
      }),
    ],
    [t],
  )
}
