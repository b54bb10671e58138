import { fittingTags } from '../lib/fitting-tags.ts'
import { groupTags } from '../lib/text.ts'
import { Badge } from './badge.tsx'

/** The groups of a comma list that fit into one line, or the first one in narrow windows, and the number of the others. */
export function GroupTags({ group }: { readonly group: string }) {
  const tags = groupTags(group)
  const visible = fittingTags(tags)
  const [first, ...others] = visible
  return (
    <span className="flex gap-1" title={group}>
      {first === undefined ? null : <Badge tone={first.tone}>{first.name}</Badge>}
      <span className={others.length === 0 ? 'contents' : 'flex gap-1 max-2xl:hidden'}>
        {others.map(({ name, tone }) => (
          <Badge key={name} tone={tone}>
            {name}
          </Badge>
        ))}
        {visible.length === tags.length ? null : <Badge tone="grey">+{tags.length - visible.length}</Badge>}
      </span>
      {others.length === 0 ? null : (
        <span className="2xl:hidden">
          <Badge tone="grey">+{tags.length - 1}</Badge>
        </span>
      )}
    </span>
  )
}

/** All groups, on several lines if necessary. */
export function AllGroupTags({ group }: { readonly group: string }) {
  return (
    <span className="inline-flex max-w-full flex-wrap gap-1">
      {groupTags(group).map(({ name, tone }) => (
        <span key={name} title={name} className="inline-flex max-w-full">
          <Badge tone={tone}>{name}</Badge>
        </span>
      ))}
    </span>
  )
}
