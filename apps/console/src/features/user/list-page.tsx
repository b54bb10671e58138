import { type UserRow, user, userOrders } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useMemo } from 'react'
import { useFilters } from '../../lib/filters.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { groupTags, shortUsername } from '../../lib/text.ts'
import { type ListSpec, useList } from '../../lib/use-list.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { idColumn, numberColumn, QuotaText, quotaColumn, statusColumn, textColumn, timeColumn } from '../../ui/table/column-builders.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { AddQuotaDialog } from './add-quota-dialog.tsx'
import { useUserActions, useUserBulk } from './use-user-actions.ts'
import { roleLooks, userLooks } from './user-looks.ts'
import { readUserSearch, userFilters } from './user-search.ts'

const orderLabels = {
  '': 'user.sort.default',
  quota: 'user.sort.quota',
  used_quota: 'user.sort.used',
  request_count: 'user.sort.requests',
} as const

/** The list of a route with these search parameters. */
export const listOf = (search: Readonly<Record<string, unknown>>): ListSpec<UserRow> => ({
  endpoint: user.list,
  search: user.search,
  file: user.export,
  filters: { order: readUserSearch(search).order ?? '' },
})

export function UserListPage() {
  const t = useT()
  const navigate = useNavigate()
  const filters = useFilters(userFilters)
  const list = useList(listOf(filters.values))
  const adding = useOpenRow<UserRow>()
  useKey('n', () => void navigate({ to: '/user/add' }))
  return (
    <Page title={t('user.title')} lead={t('user.lead')} action={<NewUser />}>
      <DataTable
        list={list}
        label={t('user.title')}
        columns={useColumns()}
        card={{
          title: (row) => row.username,
          badge: (row) => <StatusBadge looks={userLooks} status={row.status} />,
          facts: (row) => [
            { label: t('user.quota'), value: <QuotaText quota={row.quota} /> },
            { label: t('user.used'), value: <QuotaText quota={row.used_quota} /> },
            { label: t('user.role'), value: <StatusBadge looks={roleLooks} status={row.role} /> },
          ],
        }}
        rowActions={useUserActions(list, adding.open)}
        bulkActions={useUserBulk(list)}
        searchLabel={t('user.search')}
        isForAdmins
        toolbar={
          <Select
            size="sm"
            label={t('user.sort')}
            value={filters.values.order ?? ''}
            options={userOrders.map((value) => ({ value, label: t(orderLabels[value]) }))}
            onChange={(order) => filters.set({ order })}
          />
        }
        empty={<EmptyState icon={<Users />} title={t('user.empty.title')} text={t('user.empty.text')} action={<NewUser />} />}
      />
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

function useColumns(): readonly Column<UserRow>[] {
  const t = useT()
  return useMemo(
    () => [
      idColumn(t('user.id')),
      {
        id: 'username',
        header: t('user.username'),
        cell: ({ username, display_name }) => (
          <span className="font-medium" title={display_name === '' ? username : `${username} · ${display_name}`}>
            <span aria-hidden>{shortUsername(username)}</span>
            <span className="sr-only">{username}</span>
          </span>
        ),
        sortValue: ({ username }) => username,
      },
      textColumn({ id: 'displayName', header: t('user.displayName'), value: (row) => row.display_name, isHiddenAtFirst: true }),
      textColumn({ id: 'email', header: t('user.email'), value: (row) => row.email, isHiddenAtFirst: true }),
      {
        id: 'group',
        header: t('user.group'),
        cell: ({ group }) => (
          <span className="flex flex-wrap gap-1">
            {groupTags(group).map(({ name, tone }) => (
              <Badge key={name} tone={tone}>
                {name}
              </Badge>
            ))}
          </span>
        ),
        sortValue: ({ group }) => group,
      },
      quotaColumn({ id: 'quota', header: t('user.quota'), value: (row) => row.quota }),
      quotaColumn({ id: 'used', header: t('user.used'), value: (row) => row.used_quota }),
      numberColumn({ id: 'requests', header: t('user.requests'), value: (row) => row.request_count }),
      {
        id: 'role',
        header: t('user.role'),
        cell: ({ role }) => <StatusBadge looks={roleLooks} status={role} />,
        sortValue: ({ role }) => role,
      },
      statusColumn({ header: t('user.status'), looks: userLooks }),
      timeColumn({ id: 'created', header: t('user.created'), value: (row) => row.created_time, isHiddenAtFirst: true }),
    ],
    [t],
  )
}

function NewUser() {
  const t = useT()
  return <NewLink to="/user/add" label={t('user.new')} />
}
