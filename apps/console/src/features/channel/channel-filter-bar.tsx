import { channelStatus } from '@sluice/contract'
import type { Filters } from '../../lib/filters.ts'
import { useT } from '../../lib/t.ts'
import { useGroups } from '../../lib/use-groups.ts'
import { vendors } from '../../lib/vendors.ts'
import { FacetBar } from '../../ui/facet-bar.tsx'
import type { channelFilters } from './channel-search.ts'
import { useTypeTag } from './vendor-name.ts'

/** Status, type and group: one click each. */
export function ChannelFilterBar({ filters }: { readonly filters: Filters<typeof channelFilters> }) {
  const t = useT()
  const tag = useTypeTag()
  const groups = useGroups()
  const { values, set, clear } = filters
  const types = [...new Set([...vendors.map(({ type }) => type), ...(values.type === undefined ? [] : [values.type])])]
  return (
    <FacetBar
      facets={[
        {
          name: 'status',
          label: t('channel.status'),
          value: values.status,
          options: Object.values(channelStatus).map((value) => ({ value, label: t(`channel.status.${value}`) })),
        },
        { name: 'type', label: t('channel.type'), value: values.type, options: types.map((value) => ({ value, label: tag(value).name })) },
        { name: 'group', label: t('channel.group'), value: values.group, options: groups.map((value) => ({ value, label: value })) },
      ]}
      set={set}
      clear={clear}
    />
  )
}
