import type { UserRow } from '@sluice/contract'
import { useMemo } from 'react'
import { groupColumn } from '../../crud/group-column.tsx'
import { type Translate, useT } from '../../lib/t.ts'
import { shortUsername } from '../../lib/text.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { idColumn, numberColumn, quotaColumn, statusColumn, textColumn, timeColumn } from '../../ui/table/column-builders.tsx'
import { QuotaCell } from '../../ui/table/quota-cell.tsx'
import type { UserEdit } from './use-user-edit.ts'
import { roleLooks, userLooks } from './user-looks.ts'

type Columns = readonly Column<UserRow>[]

export function useUserColumns(edit: UserEdit): Columns {
  const t = useT()
  return useMemo(() => [...nameColumns(t), ...editColumns(t, edit), ...usageColumns(t), ...standingColumns(t)], [t, edit])
}

const nameColumns = (t: Translate): Columns => [
  idColumn(t('user.id')),
  {
    id: 'username',
    header: t('user.username'),
    cell: ({ username, display_name }) => (
      <span className="font-medium" title={display_name === '' ? username : `${username} · ${display_name}`}>
        <bdi aria-hidden>{shortUsername(username)}</bdi>
        <span className="sr-only">{username}</span>
      </span>
    ),
    sortValue: ({ username }) => username,
  },
  textColumn({ id: 'displayName', header: t('user.displayName'), value: (row) => row.display_name, isHiddenAtFirst: true }),
  textColumn({ id: 'email', header: t('user.email'), value: (row) => row.email, isHiddenAtFirst: true }),
]

const editColumns = (t: Translate, edit: UserEdit): Columns => [
  groupColumn({
    header: t('user.group'),
    hint: t('user.group.hint'),
    allowsCustom: true,
    nameOf: ({ username }) => username,
    edit,
  }),
  {
    id: 'quota',
    header: t('user.quota'),
    cell: (row) => (
      <QuotaCell label={t('user.quota.of', { name: row.username })} quota={row.quota} onSave={(quota) => edit(row, { quota })} />
    ),
    sortValue: ({ quota }) => quota,
    isNumber: true,
  },
]

const usageColumns = (t: Translate): Columns => [
  quotaColumn({ id: 'used', header: t('user.used'), value: (row) => row.used_quota }),
  numberColumn({ id: 'requests', header: t('user.requests'), value: (row) => row.request_count }),
]

const standingColumns = (t: Translate): Columns => [
  {
    id: 'role',
    header: t('user.role'),
    cell: ({ role }) => <StatusBadge looks={roleLooks} status={role} />,
    sortValue: ({ role }) => role,
  },
  textColumn({
    id: 'secondFactor',
    header: t('user.secondFactor'),
    value: (row) => t(row.second_factor ? 'user.secondFactor.on' : 'user.secondFactor.off'),
    isHiddenAtFirst: true,
  }),
  statusColumn({ header: t('user.status'), looks: userLooks }),
  timeColumn({ id: 'created', header: t('user.created'), value: (row) => row.created_time, isHiddenAtFirst: true }),
]
