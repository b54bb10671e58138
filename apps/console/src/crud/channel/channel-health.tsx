import { type ChannelHealthRow, channel } from '@sluice/contract'
import { type Translate, useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Badge } from '../../ui/badge.tsx'

/** All rows of the list share one answer for this time. */
const freshMs = 10_000

/** Worst first. */
const looks = [
  { state: 'open', tone: 'orange', text: 'channel.health.open', note: 'channel.health.open.note' },
  { state: 'cooling', tone: 'blue', text: 'channel.health.cooling', note: 'channel.health.cooling.note' },
  { state: 'half_open', tone: 'olive', text: 'channel.health.half_open', note: 'channel.health.half_open.note' },
] as const

/** The health of a channel as requests measured it; nothing if it is healthy. */
export function ChannelHealthBadge({ id }: { readonly id: number }) {
  const t = useT()
  const { data = [] } = useRead(channel.health, { input: {}, freshMs })
  const trouble = data.filter((row) => row.channel === id)
  const look = looks.find(({ state }) => trouble.some((row) => row.state === state))
  if (look === undefined) return null
  const worst = trouble.filter(({ state }) => state === look.state)
  return (
    <span
      title={t(look.note, { seconds: longestRest(worst), models: worst.map((row) => nameOf(row, t)).join(', ') })}
      className="inline-flex"
    >
      <Badge tone={look.tone} shape="half">
        {t(look.text)}
      </Badge>
    </span>
  )
}

function longestRest(rows: readonly ChannelHealthRow[]): number {
  return Math.max(...rows.map(({ rest_seconds }) => rest_seconds))
}

function nameOf({ kind, model, tokens }: ChannelHealthRow, t: Translate): string {
  if (model === '') return t('channel.health.whole')
  const name = `${model} (${kind})`
  return tokens === 0 ? name : t('channel.health.tokens', { name, count: tokens })
}
