import { type TokenRow, token, tokenOrders } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useCallback } from 'react'
import { useCrudBulk } from '../../crud/use-crud.ts'
import { useFilters } from '../../lib/filters.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { type ListSpec, useList } from '../../lib/use-list.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { ExpiryCell, RemainCell, UsedCell } from './token-cells.tsx'
import { tokenLooks } from './token-looks.ts'
import { readTokenSearch, tokenFilters } from './token-search.ts'
import { tokenCrud, useTokenActions } from './use-token-actions.ts'
import { useTokenColumns } from './use-token-columns.tsx'

const orderLabels = { '': 'token.sort.default', remain_quota: 'token.sort.remain', used_quota: 'token.sort.used' } as const

/** The list of a route with these search parameters. */
export const listOf = (search: Readonly<Record<string, unknown>>): ListSpec<TokenRow> => ({
  endpoint: token.list,
  search: token.search,
  file: token.export,
  filters: { order: readTokenSearch(search).order ?? '' },
})

export function TokenListPage() {
  const t = useT()
  const navigate = useNavigate()
  const filters = useFilters(tokenFilters)
  const list = useList(listOf(filters.values))
  const box = useSearchBox(list)
  const copy = useCopy(box.show)
  const columns = useTokenColumns(useCallback((row: TokenRow) => void copy(`sk-${row.key}`), [copy]))
  useKey('n', () => void navigate({ to: '/token/add' }))
  return (
    <Page title={t('token.title')} lead={t('token.lead')} action={<NewToken />}>
      <DataTable
        list={list}
        label={t('token.title')}
        columns={columns}
        card={{
          title: (row) => row.name,
          badge: (row) => <StatusBadge looks={tokenLooks} status={row.status} />,
          facts: (row) => [
            { label: t('token.used'), value: <UsedCell row={row} /> },
            { label: t('token.remain'), value: <RemainCell row={row} /> },
            { label: t('token.expires'), value: <ExpiryCell row={row} /> },
          ],
        }}
        rowActions={useTokenActions(list, copy)}
        bulkActions={useCrudBulk(tokenCrud, list)}
        searchLabel={t('token.search')}
        searchBox={box}
        toolbar={
          <Select
            size="sm"
            label={t('token.sort')}
            value={filters.values.order ?? ''}
            options={tokenOrders.map((value) => ({ value, label: t(orderLabels[value]) }))}
            onChange={(order) => filters.set({ order })}
          />
        }
        empty={<EmptyState icon={<KeyRound />} title={t('token.empty.title')} text={t('token.empty.text')} action={<NewToken />} />}
      />
    </Page>
  )
}

function NewToken() {
  const t = useT()
  return <NewLink to="/token/add" label={t('token.new')} />
}
