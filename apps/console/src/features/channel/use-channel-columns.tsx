import type { ChannelRow } from '@sluice/contract'
import { vendorByType } from '@sluice/vendors/list'
import { useMemo } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import type { Column } from '../../ui/table/column.ts'
import { BalanceCell, GroupsCell, ResponseCell, TestModelCell, TimeCell, TypeCell } from './channel-cells.tsx'
import { ChannelHealthBadge } from './channel-health.tsx'
import { ChannelStatusBadge, statusLook } from './channel-status.tsx'
import { listOf } from './channel-values.ts'
import { formatSeconds } from './response-time.ts'
import { testModelOf } from './test-model.ts'
import type { ChannelEdit } from './use-channel-edit.ts'
import type { ChannelTest } from './use-channel-test.ts'
import { useTypeTag } from './vendor-name.ts'
import { WholeCell } from './whole-cell.tsx'

interface ChannelListActions {
  readonly edit: ChannelEdit
  readonly test: Pick<ChannelTest, 'chosen' | 'choose'>
}

type Columns = readonly Column<ChannelRow>[]

export function useChannelColumns({ edit, test }: ChannelListActions): Columns {
  const t = useT()
  const tag = useTypeTag()
  const { chosen, choose } = test
  return useMemo(
    () => [...factColumns(t, (type) => tag(type).name), ...editColumns(t, edit), testColumn(t, { chosen, choose }), ...moreColumns(t)],
    [t, tag, edit, chosen, choose],
  )
}

const factColumns = (t: Translate, typeName: (type: number) => string): Columns => [
  { id: 'id', header: t('channel.id'), cell: ({ id }) => <span className="text-muted tabular">{id}</span>, sortValue: ({ id }) => id },
  {
    id: 'name',
    header: t('channel.name'),
    cell: ({ name }) => (
      <span title={name} className="block max-w-40 truncate 2xl:max-w-80 font-medium">
        {name}
      </span>
    ),
    sortValue: ({ name }) => name,
  },
  { id: 'group', header: t('channel.group'), cell: (row) => <GroupsCell row={row} />, sortValue: ({ group }) => group },
  { id: 'type', header: t('channel.type'), cell: (row) => <TypeCell row={row} />, sortValue: ({ type }) => typeName(type) },
  {
    id: 'status',
    header: t('channel.status'),
    cell: ({ id, status }) => (
      <span className="flex flex-wrap gap-1">
        <ChannelStatusBadge status={status} />
        <ChannelHealthBadge id={id} />
      </span>
    ),
    sortValue: ({ status }) => status,
    csv: ({ status }) => t(statusLook(status).text),
  },
  {
    id: 'response',
    header: t('channel.responseTime'),
    cell: (row) => <ResponseCell row={row} />,
    sortValue: ({ response_time }) => (response_time === 0 ? null : response_time),
    csv: ({ response_time }) => (response_time === 0 ? '' : formatSeconds(response_time)),
  },
  {
    id: 'balance',
    header: t('channel.balance'),
    cell: (row) => <BalanceCell row={row} />,
    sortValue: ({ type, balance }) => (vendorByType(type)?.balance === undefined ? null : balance),
    csv: ({ balance }) => balance,
    isNumber: true,
  },
]

const editColumns = (t: Translate, edit: ChannelEdit): Columns => [
  {
    id: 'priority',
    header: t('channel.priority'),
    cell: (row) => (
      <WholeCell
        label={t('channel.priority.of', { name: row.name })}
        value={row.priority}
        onSave={(priority) => edit.set(row, { priority })}
      />
    ),
    sortValue: ({ priority }) => priority,
    isNumber: true,
  },
  {
    id: 'weight',
    header: t('channel.weight'),
    cell: (row) => (
      <WholeCell
        label={t('channel.weight.of', { name: row.name })}
        value={row.weight}
        min={0}
        onSave={(weight) => edit.set(row, { weight })}
      />
    ),
    sortValue: ({ weight }) => weight,
    isNumber: true,
    isHiddenAtFirst: true,
  },
]

const testColumn = (t: Translate, { chosen, choose }: ChannelListActions['test']): Column<ChannelRow> => ({
  id: 'testModel',
  header: t('channel.testModel'),
  cell: (row) => <TestModelCell row={row} chosen={chosen.get(row.id) ?? row.test_model} onChoose={choose} />,
  sortValue: (row) => testModelOf(listOf(row.models), chosen.get(row.id) ?? row.test_model),
})

const moreColumns = (t: Translate): Columns => [
  {
    id: 'models',
    header: t('channel.models'),
    cell: ({ models }) => <span title={models}>{listOf(models).length}</span>,
    sortValue: ({ models }) => listOf(models).length,
    csv: ({ models }) => models,
    isNumber: true,
    isHiddenAtFirst: true,
  },
  {
    id: 'created',
    header: t('channel.createdTime'),
    cell: ({ created_time }) => <TimeCell seconds={created_time} />,
    sortValue: ({ created_time }) => created_time,
    csv: ({ created_time }) => formatTime(created_time),
    isHiddenAtFirst: true,
  },
]
