import { type ChannelRow, channel, channelStatus } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { Cable } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { ChannelHealthBadge } from '../../crud/channel/channel-health.tsx'
import { channelLooks } from '../../crud/channel/channel-looks.ts'
import { ChannelLossBadge } from '../../crud/channel/channel-loss.tsx'
import { useTestHistory } from '../../crud/channel/test-history.tsx'
import { useUpdate } from '../../crud/use-update.ts'
import { readFilters, useFilters } from '../../lib/filters.ts'
import { useSession } from '../../lib/session.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { type ListOf, preloadOf, useList } from '../../lib/use-list.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { AllGroupTags } from '../../ui/group-tags.tsx'
import { Page } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Card } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { isEmptyList } from '../../ui/table/is-empty-list.ts'
import { ResponseCell, TypeCell } from './channel-cells.tsx'
import { ChannelFilterBar } from './channel-filter-bar.tsx'
import { channelFilters } from './channel-search.ts'
import { ListButtons, NewChannel, WorkProgress } from './list-buttons.tsx'
import { ModelTests } from './model-tests.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { TestNotice } from './test-notice.tsx'
import { useChannelActions, useChannelBulk } from './use-channel-actions.ts'
import { useChannelBalance } from './use-channel-balance.ts'
import { useChannelColumns } from './use-channel-columns.tsx'
import { useChannelTest } from './use-channel-test.ts'
import { useChannelTransfer } from './use-channel-transfer.tsx'
import { useChannelWork } from './use-channel-work.ts'

/** The list of the route. */
const listOf: ListOf<ChannelRow> = (search) => ({
  endpoint: channel.list,
  search: channel.search,
  file: channel.export,
  filters: readFilters(channelFilters, search),
})

export const preload = preloadOf(listOf)

const ChannelSheet = lazy(async () => ({ default: (await import('./channel-sheet.tsx')).ChannelSheet }))

/** Only the server sets the status "disabled automatically". */
const canRestore = ({ status }: Partial<ChannelRow>): boolean => status !== channelStatus.autoDisabled

export function ChannelListPage() {
  const t = useT()
  const { isAdmin } = useSession()
  const navigate = useNavigate()
  const filters = useFilters(channelFilters)
  const list = useList(listOf(filters.values))
  const edit = useUpdate(channel.update, list, canRestore)
  const test = useChannelTest(list)
  const balance = useChannelBalance(list)
  const run = useChannelWork()
  const transfer = useChannelTransfer({ keyword: list.keyword, ...filters.values })
  const tests = useTestHistory(list.rows)
  const columns = useChannelColumns({ edit, test, balance, tests })
  const sheet = useRowSheet(list, channel.get)
  const newKey = useOpenRow<ChannelRow>()
  const modelTests = useOpenRow<ChannelRow>()
  const rowActions = useChannelActions({
    ...{ list, edit, test, balance },
    open: sheet.open,
    setKey: newKey.open,
    testModels: modelTests.open,
  })
  const isEmpty = isEmptyList(list, filters.clear)
  useKey('n', () => void navigate({ to: '/channel/add' }))
  return (
    <Page
      title={t('channel.title')}
      lead={t('channel.lead')}
      action={isEmpty ? null : <ListButtons run={run} refresh={list.refresh} transfer={transfer} />}
      isForAdmins
    >
      {isAdmin && !isEmpty ? <TestNotice /> : null}
      <WorkProgress work={run.work} />
      <DataTable
        list={list}
        label={t('channel.title')}
        columns={columns}
        card={channelCard}
        rowActions={rowActions}
        onOpen={sheet.open}
        toolbar={<ChannelFilterBar filters={filters} />}
        {...(filters.clear !== null && { clearFilters: filters.clear })}
        bulkActions={useChannelBulk({ list, test, balance, exportRows: transfer.exportRows })}
        searchLabel={t('channel.search')}
        isForAdmins
        empty={
          <EmptyState
            icon={<Cable />}
            title={t('channel.empty.title')}
            text={t('channel.empty.text')}
            action={
              <>
                <NewChannel />
                <Button onClick={transfer.openImport}>{t('channel.import')}</Button>
              </>
            }
          />
        }
      />
      {sheet.id === 0 ? null : (
        <Suspense fallback={null}>
          <ChannelSheet sheet={sheet} balance={balance} test={test} onNewKey={newKey.open} />
        </Suspense>
      )}
      <ModelTests
        list={list}
        row={list.rows.find(({ id }) => id === modelTests.row?.id) ?? modelTests.row}
        isOpen={modelTests.isOpen}
        onClose={modelTests.close}
      />
      <NewKeyDialog row={newKey.row} isOpen={newKey.isOpen} onClose={newKey.close} />
      {transfer.layers}
    </Page>
  )
}

const channelCard = (t: Translate): Card<ChannelRow> => ({
  title: (row) => row.name,
  badge: (row) => (
    <span className="flex flex-wrap gap-1">
      <StatusBadge looks={channelLooks} status={row.status} />
      <ChannelHealthBadge id={row.id} />
      <ChannelLossBadge id={row.id} />
    </span>
  ),
  facts: (row) => [
    { label: t('channel.type'), value: <TypeCell row={row} /> },
    { label: t('channel.responseTime'), value: <ResponseCell row={row} /> },
    { label: t('channel.group'), value: <AllGroupTags group={row.group} /> },
  ],
})
