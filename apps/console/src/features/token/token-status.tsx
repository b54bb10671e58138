import { tokenStatus } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { Badge } from '../../ui/badge.tsx'

const looks = {
  [tokenStatus.enabled]: { tone: 'green', shape: 'filled', text: 'token.status.1' },
  [tokenStatus.disabled]: { tone: 'red', shape: 'ring', text: 'token.status.2' },
  [tokenStatus.expired]: { tone: 'yellow', shape: 'half', text: 'token.status.3' },
  [tokenStatus.exhausted]: { tone: 'grey', shape: 'half', text: 'token.status.4' },
} as const

const unknown = { tone: 'grey', shape: 'ring', text: 'token.status.other' } as const

export function statusLook(status: number) {
  return Object.entries(looks).find(([value]) => value === String(status))?.[1] ?? unknown
}

export function TokenStatusBadge({ status }: { readonly status: number }) {
  const t = useT()
  const { tone, shape, text } = statusLook(status)
  return (
    <Badge tone={tone} shape={shape}>
      {t(text)}
    </Badge>
  )
}
