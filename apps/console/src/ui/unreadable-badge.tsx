import { useT } from '../lib/t.ts'
import { Badge } from './badge.tsx'

/** Marks a row with a stored value that cannot be read; nothing if all of its values can. */
export function UnreadableBadge({ row: { unreadable } }: { readonly row: { readonly unreadable: readonly string[] } }) {
  const t = useT()
  if (unreadable.length === 0) return null
  return (
    <span title={t('value.unreadable.text')} className="inline-flex">
      <Badge tone="red" shape="half">
        {t('value.unreadable.short')}
      </Badge>
    </span>
  )
}
