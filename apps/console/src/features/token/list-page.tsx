import { type TokenRow, token, tokenOrders, tokenStatus } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense, useCallback } from 'react'
import { useCrudBulk } from '../../crud/use-crud.ts'
import { clearOf, readFilters, useFilters } from '../../lib/filters.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { type ListOf, preloadOf, useList } from '../../lib/use-list.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FacetBar } from '../../ui/facet-bar.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Card } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { isEmptyList } from '../../ui/table/is-empty-list.ts'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { ExpiryCell, RemainCell, UsedCell } from './token-cells.tsx'
import { tokenLooks } from './token-looks.ts'
import { tokenFilters } from './token-search.ts'
import { useQuotaEdit } from './use-quota-edit.ts'
import { tokenCrud, useTokenActions } from './use-token-actions.ts'
import { useTokenColumns } from './use-token-columns.tsx'

const TokenSheet = lazy(async () => ({ default: (await import('./token-sheet.tsx')).TokenSheet }))
const ReplacedDialog = lazy(async () => ({ default: (await import('./replaced-dialog.tsx')).ReplacedDialog }))

const orderLabels = { '': 'token.sort.default', remain_quota: 'token.sort.remain', used_quota: 'token.sort.used' } as const

/** The list of a route with these search parameters. */
const listOf: ListOf<TokenRow> = (search) => ({
  endpoint: token.list,
  search: token.search,
  file: token.export,
  filters: readFilters(tokenFilters, search),
})

export const preload = preloadOf(listOf)

export function TokenListPage() {
  const t = useT()
  const navigate = useNavigate()
  const filters = useFilters(tokenFilters)
  const list = useList(listOf(filters.values))
  const box = useSearchBox(list)
  const copy = useCopy(box.show)
  const columns = useTokenColumns({
    onCopyKey: useCallback((row: TokenRow) => void copy(`sk-${row.key}`), [copy]),
    onQuota: useQuotaEdit(list),
  })
  const sheet = useRowSheet<TokenRow>(list, token.get)
  const replaced = useOpenRow<TokenRow>()
  const actions = useTokenActions({ list, copy, openSheet: sheet.open, showKey: replaced.open })
  const clear = clearOf(filters, ['status'])
  useKey('n', () => void navigate({ to: '/token/add' }))
  return (
    <Page title={t('token.title')} lead={t('token.lead')} action={isEmptyList(list, clear) ? null : <NewToken />}>
      <DataTable
        list={list}
        label={t('token.title')}
        columns={columns}
        card={tokenCard}
        rowActions={actions}
        onOpen={sheet.open}
        {...(clear !== null && { clearFilters: clear })}
        bulkActions={useCrudBulk(tokenCrud, list)}
        searchLabel={t('token.search')}
        searchBox={box}
        toolbar={
          <FacetBar
            facets={[
              {
                name: 'order',
                label: t('token.sort'),
                value: filters.values.order,
                allLabel: t(orderLabels['']),
                options: tokenOrders.filter((value) => value !== '').map((value) => ({ value, label: t(orderLabels[value]) })),
              },
              {
                name: 'status',
                label: t('token.status'),
                value: filters.values.status,
                options: Object.values(tokenStatus).map((value) => ({ value, label: t(`token.status.${value}`) })),
              },
            ]}
            set={filters.set}
            clear={clear}
          />
        }
        empty={<EmptyState icon={<KeyRound />} title={t('token.empty.title')} text={t('token.empty.text')} action={<NewToken />} />}
      />
      <Suspense fallback={null}>
        {sheet.id === 0 ? null : <TokenSheet sheet={sheet} actions={actions} />}
        {replaced.row === null ? null : <ReplacedDialog row={replaced.row} isOpen={replaced.isOpen} onClose={replaced.close} />}
      </Suspense>
    </Page>
  )
}

const tokenCard = (t: Translate): Card<TokenRow> => ({
  title: (row) => row.name,
  badge: (row) => <StatusBadge looks={tokenLooks} status={row.status} />,
  facts: (row) => [
    { label: t('token.used'), value: <UsedCell row={row} /> },
    { label: t('token.remain'), value: <RemainCell row={row} /> },
    { label: t('token.expires'), value: <ExpiryCell row={row} /> },
  ],
})

function NewToken() {
  const t = useT()
  return <NewLink to="/token/add" label={t('token.new')} />
}
