import { type MessageKey, useT } from '../lib/t.ts'
import { Badge } from './badge.tsx'

interface UnreadableBadgeProps {
  readonly row: { readonly unreadable: readonly string[] }
  /** What the reader can do about it. */
  readonly text?: MessageKey
}

/** Marks a row with a stored value that cannot be read; nothing if all of its values can. */
export function UnreadableBadge({ row: { unreadable }, text = 'value.unreadable.text' }: UnreadableBadgeProps) {
  const t = useT()
  if (unreadable.length === 0) return null
  return (
    <span title={t(text)} className="inline-flex">
      <Badge tone="red" shape="half">
        {t('value.unreadable.short')}
      </Badge>
    </span>
  )
}
