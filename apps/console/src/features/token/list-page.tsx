import { type TokenRow, token, tokenOrders } from '@sluice/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { call } from '../../lib/api.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { useList } from '../../lib/use-list.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { ExpiryCell, RemainCell, UsedCell } from './token-cells.tsx'
import { TokenStatusBadge } from './token-status.tsx'
import { useCopy, useTokenActions } from './use-token-actions.ts'
import { useTokenBulk } from './use-token-bulk.ts'
import { useTokenColumns } from './use-token-columns.tsx'

const orderLabels = { '': 'token.sort.default', remain_quota: 'token.sort.remain', used_quota: 'token.sort.used' } as const

export function TokenListPage() {
  const t = useT()
  const navigate = useNavigate()
  const order = useOrder()
  const list = useTokenList(order)
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
          badge: (row) => <TokenStatusBadge status={row.status} />,
          facts: (row) => [
            { label: t('token.used'), value: <UsedCell row={row} /> },
            { label: t('token.remain'), value: <RemainCell row={row} /> },
            { label: t('token.expires'), value: <ExpiryCell row={row} /> },
          ],
        }}
        rowActions={useTokenActions(list, copy)}
        bulkActions={useTokenBulk(list)}
        searchLabel={t('token.search')}
        searchBox={box}
        toolbar={
          <Select
            size="sm"
            label={t('token.sort')}
            value={order}
            options={tokenOrders.map((value) => ({ value, label: t(orderLabels[value]) }))}
            onChange={list.setOrder}
          />
        }
        empty={<EmptyState icon={<KeyRound />} title={t('token.empty.title')} text={t('token.empty.text')} action={<NewToken />} />}
      />
    </Page>
  )
}

function NewToken() {
  const t = useT()
  return (
    <ButtonLink to="/token/add" look="primary">
      <Plus aria-hidden className="size-4" />
      {t('token.new')}
    </ButtonLink>
  )
}

/** The server's order of rows, by the address. */
function useOrder(): (typeof tokenOrders)[number] {
  const { order } = useSearch({ from: '/guarded/token' })
  return tokenOrders.find((known) => known === order) ?? ''
}

function useTokenList(order: (typeof tokenOrders)[number]) {
  return useList<TokenRow>({
    name: 'token',
    filters: useMemo(() => ({ order }), [order]),
    load: (wanted, signal) => call(token.list, { ...wanted, order }, { signal }),
    search: async (keyword, signal) => sorted(await call(token.search, { keyword }, { signal }), order),
  })
}

/** Sorts matches here, because a search returns all of them in one order. */
function sorted(rows: readonly TokenRow[], order: (typeof tokenOrders)[number]): readonly TokenRow[] {
  if (order === '') return rows
  if (order === 'used_quota') return rows.toSorted((a, b) => b.used_quota - a.used_quota)
  return rows.toSorted((a, b) => Number(b.unlimited_quota) - Number(a.unlimited_quota) || b.remain_quota - a.remain_quota)
}
