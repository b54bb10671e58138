import { type UserRow, user, userOrders } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useFreshLogin } from '../../crud/use-fresh-login.tsx'
import { clearOf, type Filters, readFilters, useFilters } from '../../lib/filters.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { type Translate, useT, withTexts } from '../../lib/t.ts'
import { useGroups } from '../../lib/use-groups.ts'
import { type ListOf, preloadOf, useList } from '../../lib/use-list.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FacetBar } from '../../ui/facet-bar.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { ShortUsername } from '../../ui/short-username.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Card } from '../../ui/table/column.ts'
import { QuotaText } from '../../ui/table/column-builders.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { AddQuotaDialog } from './add-quota-dialog.tsx'
import { useUserActions, useUserBulk } from './use-user-actions.ts'
import { useUserColumns } from './use-user-columns.tsx'
import { useUserEdit } from './use-user-edit.ts'
import { roleLooks, userLooks } from './user-looks.ts'
import { listedStatuses, roles, userFilters } from './user-search.ts'

const UserSheet = lazy(async () => ({ default: (await withTexts(() => import('./user-sheet.tsx'), 'user', 'accessTokens')()).UserSheet }))

const orderLabels = {
  '': 'user.sort.default',
  quota: 'user.sort.quota',
  used_quota: 'user.sort.used',
  request_count: 'user.sort.requests',
} as const

/** The list of a route with these search parameters. */
const listOf: ListOf<UserRow> = (search) => ({
  endpoint: user.list,
  search: user.search,
  file: user.export,
  filters: readFilters(userFilters, search),
})

export const preload = preloadOf(listOf)

export function UserListPage() {
  const t = useT()
  const navigate = useNavigate()
  const filters = useFilters(userFilters)
  const list = useList(listOf(filters.values))
  const sheet = useRowSheet<UserRow>(list, user.get)
  const adding = useOpenRow<UserRow>()
  const { ensure, dialog } = useFreshLogin('/user')
  const actions = useUserActions(list, { open: sheet.open, addQuota: adding.open, ensure })
  const clear = clearOf(filters, ['role', 'status', 'group'])
  useKey('n', () => void navigate({ to: '/user/add' }))
  return (
    <Page title={t('user.title')} lead={t('user.lead')} action={<NewUser />} isForAdmins>
      <DataTable
        list={list}
        label={t('user.title')}
        columns={useUserColumns(useUserEdit(list))}
        card={userCard}
        rowActions={actions}
        onOpen={sheet.open}
        bulkActions={useUserBulk(list, ensure)}
        searchLabel={t('user.search')}
        isForAdmins
        toolbar={<UserFacets filters={filters} clear={clear} />}
        {...(clear !== null && { clearFilters: clear })}
        empty={<EmptyState icon={<Users />} title={t('user.empty.title')} text={t('user.empty.text')} action={<NewUser />} />}
      />
      {dialog}
      {sheet.id === 0 ? null : (
        <Suspense fallback={null}>
          <UserSheet sheet={sheet} actions={actions} />
        </Suspense>
      )}
      {adding.row === null ? null : (
        <AddQuotaDialog
          key={adding.row.id}
          row={adding.row}
          isOpen={adding.isOpen}
          onClose={adding.close}
          onAdded={(row, quota) => list.patch(row.id, { quota: row.quota + quota })}
        />
      )}
    </Page>
  )
}

const userCard = (t: Translate): Card<UserRow> => ({
  title: (row) => row.username,
  heading: (row) => <ShortUsername name={row.username} />,
  badge: (row) => <StatusBadge looks={userLooks} status={row.status} />,
  facts: (row) => [
    { label: t('user.quota'), value: <QuotaText quota={row.quota} /> },
    { label: t('user.used'), value: <QuotaText quota={row.used_quota} /> },
    { label: t('user.role'), value: <StatusBadge looks={roleLooks} status={row.role} /> },
  ],
})

interface UserFacetsProps {
  readonly filters: Filters<typeof userFilters>
  readonly clear: (() => void) | null
}

function UserFacets({ filters: { values, set }, clear }: UserFacetsProps) {
  const t = useT()
  const groups = useGroups()
  return (
    <FacetBar
      facets={[
        {
          name: 'order',
          label: t('user.sort'),
          value: values.order,
          allLabel: t(orderLabels['']),
          options: userOrders.filter((value) => value !== '').map((value) => ({ value, label: t(orderLabels[value]) })),
        },
        {
          name: 'role',
          label: t('user.role'),
          value: values.role,
          options: roles.map((value) => ({ value, label: t(`user.role.${value}`) })),
        },
        {
          name: 'status',
          label: t('user.status'),
          value: values.status,
          options: listedStatuses.map((value) => ({ value, label: t(`user.status.${value}`) })),
        },
        { name: 'group', label: t('user.group'), value: values.group, options: groups.map((value) => ({ value, label: value })) },
      ]}
      set={set}
      clear={clear}
    />
  )
}

function NewUser() {
  const t = useT()
  return <NewLink to="/user/add" label={t('user.new')} />
}
