import { channelStatus } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { Badge } from '../../ui/badge.tsx'

const looks = {
  [channelStatus.enabled]: { tone: 'green', shape: 'filled', text: 'channel.status.1', note: 'channel.status.1.note' },
  [channelStatus.disabled]: { tone: 'red', shape: 'ring', text: 'channel.status.2', note: 'channel.status.2.note' },
  [channelStatus.autoDisabled]: { tone: 'yellow', shape: 'half', text: 'channel.status.3', note: 'channel.status.3.note' },
} as const

const unknown = { tone: 'grey', shape: 'ring', text: 'channel.status.other', note: 'channel.status.other' } as const

export function statusLook(status: number) {
  return Object.entries(looks).find(([value]) => value === String(status))?.[1] ?? unknown
}

export function ChannelStatusBadge({ status }: { readonly status: number }) {
  const t = useT()
  const { tone, shape, text, note } = statusLook(status)
  return (
    <span title={t(note)} className="inline-flex">
      <Badge tone={tone} shape={shape}>
        {t(text)}
      </Badge>
    </span>
  )
}
