import { type ChannelHealthRow, channel } from '@sluice/contract'
import { type Translate, useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { StatusBadge, type StatusLooks } from '../../ui/status-badge.tsx'

/** All rows of the list share one response for this time. */
const freshMs = 10_000

/** Worst first. */
const states = ['open', 'cooling', 'half_open'] as const

const healthLooks: StatusLooks<(typeof states)[number]> = {
  byStatus: {
    open: { tone: 'orange', shape: 'half', text: 'channel.health.open', note: 'channel.health.open.note' },
    cooling: { tone: 'blue', shape: 'half', text: 'channel.health.cooling', note: 'channel.health.cooling.note' },
    half_open: { tone: 'olive', shape: 'half', text: 'channel.health.half_open', note: 'channel.health.half_open.note' },
  },
}

/** The health of a channel as requests measured it; nothing if it is healthy. */
export function ChannelHealthBadge({ id }: { readonly id: number }) {
  const t = useT()
  const { data = [] } = useRead(channel.health, { input: {}, freshMs })
  const trouble = data.filter((row) => row.channel === id)
  const status = states.find((state) => trouble.some((row) => row.state === state))
  if (status === undefined) return null
  const worst = trouble.filter(({ state }) => state === status)
  const noteParams = { seconds: longestRest(worst), models: worst.map((row) => nameOf(row, t)).join(', ') }
  return <StatusBadge looks={healthLooks} status={status} noteParams={noteParams} />
}

function longestRest(rows: readonly ChannelHealthRow[]): number {
  return Math.max(...rows.map(({ rest_seconds }) => rest_seconds))
}

function nameOf({ kind, model, tokens }: ChannelHealthRow, t: Translate): string {
  if (model === '') return t('channel.health.whole')
  const name = `${model} (${kind})`
  return tokens === 0 ? name : t('channel.health.tokens', { name, count: tokens })
}
