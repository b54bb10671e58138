import { type MessageKey, type MessageParams, type Translate, useT } from '../lib/t.ts'
import { Badge, type Shape, type Tone } from './badge.tsx'

interface StatusLook {
  readonly tone: Tone
  /** Without it there is no dot. */
  readonly shape?: Shape
  readonly text: MessageKey
  /** What the status means, for the tooltip. */
  readonly note?: MessageKey
}

/** How a noun's statuses look: one table a noun. A newer server may send a status that the table does not have. */
export interface StatusLooks<Status extends string | number = number> {
  readonly byStatus: Readonly<Record<Status, StatusLook>>
  /** The text of a status that the table does not have; without it, the status itself. */
  readonly unknown?: MessageKey
}

interface StatusBadgeProps<Status extends string | number> {
  readonly looks: StatusLooks<Status>
  readonly status: Status
  /** How many have this status, after its text. */
  readonly count?: number
  /** What the note names. */
  readonly noteParams?: MessageParams
}

function lookOf<Status extends string | number>({ byStatus }: StatusLooks<Status>, status: Status): StatusLook | undefined {
  return Object.hasOwn(byStatus, status) ? byStatus[status] : undefined
}

/** The text of a status, for where there is no badge: a sorted column, a file. */
export function statusText<Status extends string | number>(looks: StatusLooks<Status>, status: Status, t: Translate): string {
  const key = lookOf(looks, status)?.text ?? looks.unknown
  return key === undefined ? String(status) : t(key)
}

export function StatusBadge<Status extends string | number>({ looks, status, count, noteParams }: StatusBadgeProps<Status>) {
  const t = useT()
  const { tone, shape, note }: Omit<StatusLook, 'text'> = lookOf(looks, status) ?? { tone: 'grey', shape: 'ring' }
  const badge = (
    <Badge tone={tone} {...(shape !== undefined && { shape })}>
      {statusText(looks, status, t)}
      {count === undefined ? null : `${t('word.colon')}${count}`}
    </Badge>
  )
  return note === undefined ? (
    badge
  ) : (
    <span title={t(note, noteParams)} className="inline-flex">
      {badge}
    </span>
  )
}
