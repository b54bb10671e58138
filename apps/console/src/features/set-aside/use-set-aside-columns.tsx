import { type SetAsideRow, setAsideStates } from '@sluice/contract'
import { useMemo } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import { ShortUsername } from '../../ui/short-username.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Card, Column } from '../../ui/table/column.ts'
import { idColumn, QuotaText, quotaColumn, TimeText, textColumn, timeColumn } from '../../ui/table/column-builders.tsx'
import { errorOf, nameOf, setAsideLooks } from './set-aside-looks.ts'

export function useSetAsideColumns(): readonly Column<SetAsideRow>[] {
  const t = useT()
  return useMemo(
    () => [
      idColumn<SetAsideRow>(t('aside.id')),
      timeColumn<SetAsideRow>({ id: 'created', header: t('aside.created'), value: ({ created_at }) => created_at }),
      {
        id: 'state',
        header: t('aside.state'),
        cell: ({ state }) => <StatusBadge looks={setAsideLooks} status={state} />,
        sortValue: ({ state }) => setAsideStates.indexOf(state),
      },
      {
        ...textColumn<SetAsideRow>({ id: 'user', header: t('aside.user'), value: userOf }),
        cell: (row) => <ShortUsername name={userOf(row)} />,
      },
      textColumn<SetAsideRow>({ id: 'token', header: t('aside.token'), value: tokenOf }),
      textColumn<SetAsideRow>({ id: 'model', header: t('aside.model'), value: ({ model_name }) => model_name }),
      textColumn<SetAsideRow>({ id: 'kind', header: t('aside.kind'), value: ({ kind }) => t(`aside.kind.${kind}`) }),
      quotaColumn<SetAsideRow>({ id: 'amount', header: t('aside.amount'), value: ({ amount }) => amount }),
      quotaColumn<SetAsideRow>({ id: 'held', header: t('aside.held'), value: ({ held }) => held }),
      textColumn<SetAsideRow>({ id: 'error', header: t('aside.error'), value: errorOf, isFlexible: true }),
    ],
    [t],
  )
}

/** Deleted accounts and tokens have no name. */
const userOf = ({ username, user_id: id }: SetAsideRow): string => username || `#${id}`
const tokenOf = ({ token_name: name, token_id: id }: SetAsideRow): string => name || `#${id}`

export const setAsideCard = (t: Translate): Card<SetAsideRow> => ({
  title: nameOf,
  badge: ({ state }) => <StatusBadge looks={setAsideLooks} status={state} />,
  facts: (row) => [
    { label: t('aside.created'), value: <TimeText seconds={row.created_at} /> },
    { label: t('aside.user'), value: <ShortUsername name={userOf(row)} /> },
    ...(row.model_name === '' ? [] : [{ label: t('aside.model'), value: row.model_name }]),
    { label: t('aside.amount'), value: <QuotaText quota={row.amount} /> },
    { label: t('aside.held'), value: <QuotaText quota={row.held} /> },
    { label: t('aside.error'), value: errorOf(row) },
  ],
})
