import { type ChannelRow, channel } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { ChannelHealthBadge } from '../../crud/channel/channel-health.tsx'
import { channelLooks } from '../../crud/channel/channel-looks.ts'
import { HealthLine, useTestHistory } from '../../crud/channel/test-history.tsx'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'

/** Channels that the board shows: those that are tried first. */
const shownMax = 100

/** Each channel with its state, what requests have found of it, and its last tests. */
export function HealthBoard() {
  const t = useT()
  const { data = [] } = useRead(channel.list, { input: { size: shownMax }, freshMs: 10_000, isSilent: true })
  const testsOf = useTestHistory(data)
  if (data.length === 0) return null
  return (
    <section aria-label={t('dashboard.health')} className="mt-4 rounded-md border bg-surface p-4">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-2">
        <h2 className="font-semibold">{t('dashboard.health')}</h2>
        <p className="text-sm text-muted">{t('dashboard.health.hint')}</p>
      </div>
      <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
        {data.map((row) => (
          <Tile key={row.id} row={row} tests={testsOf.get(row.id) ?? []} />
        ))}
      </ul>
    </section>
  )
}

interface TileProps {
  readonly row: ChannelRow
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
