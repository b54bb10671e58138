import { type ChannelBoardRow, type ChannelHealthRow, channel } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { ChannelHealthBadge } from '../../crud/channel/channel-health.tsx'
import { channelLooks } from '../../crud/channel/channel-looks.ts'
import { HealthLine, useTestHistory } from '../../crud/channel/test-history.tsx'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Pagination } from '../../ui/pagination.tsx'
import { Segments } from '../../ui/segments.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type BoardChannel, type BoardState, boardStates, orderBoard } from './board-order.ts'
import { boardFreshMs } from './use-dashboard.ts'

/** Channels of one page: ten rows of three on a wide screen. */
const pageSize = 30

const noRows: readonly ChannelBoardRow[] = []
const noHealth: readonly ChannelHealthRow[] = []

/** Each channel with its state, what requests have found of it, and its last tests; those with trouble come first. */
export function HealthBoard() {
  const t = useT()
  const { data: rows = noRows } = useRead(channel.board, { input: {}, freshMs: boardFreshMs, isSilent: true })
  const { data: health = noHealth } = useRead(channel.health, { input: {}, freshMs: boardFreshMs, isSilent: true })
  const [chosen, setChosen] = useState<BoardState | 'all'>('all')
  const [page, setPage] = useState(1)
  const channels = useMemo(() => orderBoard(rows, health), [rows, health])
  const states = boardStates.filter((state) => channels.some((one) => one.state === state))
  const activeState = states.find((state) => state === chosen) ?? 'all'
  const matching = activeState === 'all' ? channels : channels.filter(({ state }) => state === activeState)
  const pages = Math.ceil(matching.length / pageSize)
  const currentPage = Math.min(page, Math.max(1, pages))
  const visible = matching.slice((currentPage - 1) * pageSize, currentPage * pageSize)
  const testsOf = useTestHistory(visible)
  if (channels.length === 0) return null
  const count = (state: BoardState | 'all') => (state === 'all' ? channels : channels.filter((one) => one.state === state)).length
  return (
    <section aria-label={t('dashboard.health')} className="mt-4 rounded-md border bg-surface p-4">
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="font-semibold">{t('dashboard.health')}</h2>
        {states.length < 2 ? null : (
          <Segments
            label={t('dashboard.health.show')}
            value={activeState}
            options={(['all', ...states] as const).map((value) => ({
              value,
              label: t(`dashboard.health.${value}`, { count: count(value) }),
            }))}
            onChange={(state) => {
              setChosen(state)
              setPage(1)
            }}
          />
        )}
        <p className="ml-auto text-sm text-muted max-sm:ml-0">{t('dashboard.health.hint')}</p>
      </div>
      <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
        {visible.map((row) => (
          <Tile key={row.id} row={row} tests={testsOf.get(row.id) ?? []} />
        ))}
      </ul>
      {pages <= 1 ? null : (
        <div className="mt-3 flex justify-end">
          <Pagination page={currentPage} count={pages} onChange={setPage} />
        </div>
      )}
    </section>
  )
}

interface TileProps {
  readonly row: BoardChannel
  readonly tests: Parameters<typeof HealthLine>[0]['tests']
}

function Tile({ row, tests }: TileProps) {
  return (
    <li className="flex min-w-0 items-center gap-2 rounded-sm border px-3 py-2">
      <span className="min-w-0 flex-1">
        <Link
          to="/channel/edit/$id"
          params={{ id: String(row.id) }}
          title={row.name}
          className="block truncate rounded-sm font-medium hover:text-accent hover:underline"
        >
          {row.name}
        </Link>
        <span className="mt-0.5 flex flex-wrap gap-1">
          <StatusBadge looks={channelLooks} status={row.status} />
          <ChannelHealthBadge id={row.id} />
        </span>
      </span>
      <HealthLine tests={tests} />
    </li>
  )
}
