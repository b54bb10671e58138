import { type MessageKey, useT } from '../lib/t.ts'
import { Badge, type Shape, type Tone } from './badge.tsx'

interface StatusLook {
  readonly tone: Tone
  /** Without it there is no dot. */
  readonly shape?: Shape
  readonly text: MessageKey
  /** What the status means, for the tooltip. */
  readonly note?: MessageKey
}

/** The looks of a noun's statuses by number, and of a number that the console does not know. */
export interface StatusLooks {
  readonly byNumber: Readonly<Record<number, StatusLook>>
  readonly unknown: MessageKey
}

function statusLook({ byNumber, unknown }: StatusLooks, status: number): StatusLook {
  return byNumber[status] ?? { tone: 'grey', shape: 'ring', text: unknown }
}

export function StatusBadge({ looks, status }: { readonly looks: StatusLooks; readonly status: number }) {
  const t = useT()
  const { tone, shape, text, note } = statusLook(looks, status)
  const badge = (
    <Badge tone={tone} {...(shape !== undefined && { shape })}>
      {t(text)}
    </Badge>
  )
  return note === undefined ? (
    badge
  ) : (
    <span title={t(note)} className="inline-flex">
      {badge}
    </span>
  )
}
