import type { ChannelRow } from '@sluice/contract'
import { useMemo } from 'react'
import { ChannelHealthBadge } from '../../crud/channel/channel-health.tsx'
import { channelLooks } from '../../crud/channel/channel-looks.ts'
import { ChannelLossBadge } from '../../crud/channel/channel-loss.tsx'
import { HealthLine, type TestsOf } from '../../crud/channel/test-history.tsx'
import { groupColumn } from '../../crud/group-column.tsx'
import type { Update } from '../../crud/use-update.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { idColumn, statusColumn, textColumn, timeColumn } from '../../ui/table/column-builders.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'
import { BalanceCell, ResponseCell, TestModelCell, TypeCell } from './channel-cells.tsx'
import { namesIn } from './names-in.ts'
import { testModelOf } from './test-model.ts'
import type { BalanceQuery } from './use-channel-balance.ts'
import type { ChannelTest } from './use-channel-test.ts'
import { useTypeTag } from './vendor-name.ts'
import { WholeCell } from './whole-cell.tsx'

interface ChannelListActions {
  readonly edit: Update<ChannelRow>
  readonly test: Pick<ChannelTest, 'chosen' | 'choose'>
  readonly balance: Pick<BalanceQuery, 'run'>
  readonly tests: TestsOf
}

type Columns = readonly Column<ChannelRow>[]

export function useChannelColumns({ edit, test, balance, tests }: ChannelListActions): Columns {
  const t = useT()
  const tag = useTypeTag()
  const { chosen, choose } = test
  const { run: askBalance } = balance
  return useMemo(
    () => [
      ...factColumns(t, (type) => tag(type).name, edit),
      healthColumn(t, tests),
      balanceColumn(t, askBalance),
      ...editColumns(t, edit),
      testColumn(t, { chosen, choose }),
      ...moreColumns(t),
    ],
    [t, tag, edit, chosen, choose, askBalance, tests],
  )
}

const factColumns = (t: Translate, typeName: (type: number) => string, edit: Update<ChannelRow>): Columns => [
  idColumn(t('channel.id')),
  textColumn({ id: 'name', header: t('channel.name'), value: ({ name }) => name, isStrong: true, isFlexible: true }),
  groupColumn({
    header: t('channel.group'),
    hint: t('channel.groups.hint'),
    allowsCustom: false,
    nameOf: ({ name }) => name,
    edit,
  }),
  { id: 'type', header: t('channel.type'), cell: (row) => <TypeCell row={row} />, sortValue: ({ type }) => typeName(type) },
  {
    ...statusColumn<ChannelRow>({ header: t('channel.status'), looks: channelLooks }),
    cell: (row) => (
      <span className="flex gap-1 max-xl:flex-wrap">
        <StatusBadge looks={channelLooks} status={row.status} />
        <UnreadableBadge row={row} />
        <ChannelHealthBadge id={row.id} />
        <ChannelLossBadge id={row.id} />
      </span>
    ),
  },
  {
    id: 'response',
    header: t('channel.responseTime'),
    cell: (row) => <ResponseCell row={row} />,
    sortValue: ({ response_time }) => (response_time === 0 ? null : response_time),
  },
]

const healthColumn = (t: Translate, tests: TestsOf): Column<ChannelRow> => ({
  id: 'health',
  header: t('channel.health'),
  cell: ({ id }) => <HealthLine tests={tests.get(id) ?? []} />,
})

const balanceColumn = (t: Translate, ask: BalanceQuery['run']): Column<ChannelRow> => ({
  id: 'balance',
  header: t('channel.balance'),
  cell: (row) => <BalanceCell row={row} onAsk={ask} />,
  sortValue: ({ type, balance }) => (vendorByType(type)?.balance === undefined ? null : balance),
  isNumber: true,
})

const editColumns = (t: Translate, edit: Update<ChannelRow>): Columns => [
  {
    id: 'priority',
    header: t('channel.priority'),
    cell: (row) => (
      <WholeCell label={t('channel.priority.of', { name: row.name })} value={row.priority} onSave={(priority) => edit(row, { priority })} />
    ),
    sortValue: ({ priority }) => priority,
    isNumber: true,
  },
  {
    id: 'weight',
    header: t('channel.weight'),
    cell: (row) => (
      <WholeCell label={t('channel.weight.of', { name: row.name })} value={row.weight} min={0} onSave={(weight) => edit(row, { weight })} />
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
  sortValue: (row) => testModelOf(namesIn(row.models), chosen.get(row.id) ?? row.test_model),
})

const moreColumns = (t: Translate): Columns => [
  textColumn({ id: 'tag', header: t('channel.tag'), value: ({ tag }) => tag, isHiddenAtFirst: true }),
  {
    id: 'models',
    header: t('channel.models'),
    cell: ({ models }) => <span title={models}>{namesIn(models).length}</span>,
    sortValue: ({ models }) => namesIn(models).length,
    isNumber: true,
    isHiddenAtFirst: true,
  },
  timeColumn({ id: 'created', header: t('channel.createdTime'), value: ({ created_time }) => created_time, isHiddenAtFirst: true }),
]
