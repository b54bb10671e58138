import { ledger, type SetAsideRow, setAsideStates } from '@sluice/contract'
import { BookCheck, Lock } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { type Filters, readFilters, useFilters } from '../../lib/filters.ts'
import type { Preload } from '../../lib/preload.ts'
import { isRoot, useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { type ListOf, preloadOf, useList } from '../../lib/use-list.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FacetBar } from '../../ui/facet-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import { setAsideFilters } from './set-aside-search.ts'
import { useSetAsideActions } from './use-set-aside-actions.ts'
import { setAsideCard, useSetAsideColumns } from './use-set-aside-columns.tsx'

const SetAsideSheet = lazy(async () => ({ default: (await import('./set-aside-sheet.tsx')).SetAsideSheet }))

/** The list of a route with these search parameters. */
const listOf: ListOf<SetAsideRow> = (search) => ({ endpoint: ledger.setAside, filters: readFilters(setAsideFilters, search) })
const preloadList = preloadOf(listOf)

export const preload: Preload = (client, search, params) => {
  if (isRoot()) preloadList(client, search, params)
}

/** For root: charges that the database refused. */
export function SetAsideListPage() {
  const t = useT()
  const { isRoot: mayDecide } = useSession()
  return (
    <Page title={t('aside.title')} parent={{ to: '/log', label: t('nav.log') }} lead={t('aside.lead')}>
      {mayDecide ? (
        <SetAsideList />
      ) : (
        <div className="rounded-md border bg-surface">
          <EmptyState icon={<Lock />} title={t('aside.forbidden')} text={t('aside.forbidden.text')} />
        </div>
      )}
    </Page>
  )
}

function SetAsideList() {
  const t = useT()
  const filters = useFilters(setAsideFilters)
  const list = useList(listOf(filters.values))
  const sheet = useRowSheet<SetAsideRow>(list, ledger.setAsideOf)
  const resolving = useOpenRow<SetAsideRow>()
  const actions = useSetAsideActions(list, { open: sheet.open, resolve: resolving.open })
  return (
    <>
      <DataTable
        list={list}
        label={t('aside.title')}
        columns={useSetAsideColumns()}
        card={setAsideCard}
        rowActions={actions}
        onOpen={sheet.open}
        toolbar={<StateFacet filters={filters} />}
        {...(filters.clear !== null && { clearFilters: filters.clear })}
        empty={<EmptyState icon={<BookCheck />} title={t('aside.empty.title')} text={t('aside.empty.text')} />}
      />
      {sheet.id === 0 ? null : (
        <Suspense fallback={null}>
          <SetAsideSheet sheet={sheet} actions={actions} />
        </Suspense>
      )}
      {resolving.row === null ? null : (
        <ResolveDialog
          key={resolving.row.id}
          row={resolving.row}
          isOpen={resolving.isOpen}
          onClose={resolving.close}
          onResolved={(row) => list.patch(row.id, row)}
          onRefused={list.refresh}
        />
      )}
    </>
  )
}

function StateFacet({ filters: { values, set, clear } }: { readonly filters: Filters<typeof setAsideFilters> }) {
  const t = useT()
  const options = setAsideStates.map((value) => ({ value, label: t(`aside.state.${value}`) }))
  return <FacetBar facets={[{ name: 'state', label: t('aside.state'), value: values.state, options }]} set={set} clear={clear} />
}
