import { channelStatus } from '@sluice/contract'
import { vendors } from '@sluice/vendors/list'
import { X } from 'lucide-react'
import type { Filters } from '../../lib/filters.ts'
import { useT } from '../../lib/t.ts'
import { useGroups } from '../../lib/use-groups.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import type { channelFilters } from './channel-search.ts'
import { useTypeTag } from './vendor-name.ts'

/** Status, type and group: one click each. */
export function ChannelFilterBar({ filters }: { readonly filters: Filters<typeof channelFilters> }) {
  const t = useT()
  const tag = useTypeTag()
  const { values, set, clear } = filters
  const all = t('channel.filter.all')
  const types = [...new Set([...vendors.map(({ type }) => type), ...(values.type === undefined ? [] : [values.type])])]
  const groups = [...new Set([...useGroups(), ...(values.group === undefined ? [] : [values.group])])]
  return (
    <>
      <Select
        size="sm"
        label={t('channel.status')}
        value={values.status ?? 0}
        options={[
          { value: 0, label: all },
          ...Object.values(channelStatus).map((value) => ({ value, label: t(`channel.status.${value}`) })),
        ]}
        onChange={(status) => set({ status: status || undefined })}
      />
      <Select
        size="sm"
        label={t('channel.type')}
        value={values.type ?? 0}
        options={[{ value: 0, label: all }, ...types.map((value) => ({ value, label: tag(value).name }))]}
        onChange={(type) => set({ type: type || undefined })}
      />
      <Select
        size="sm"
        label={t('channel.group')}
        value={values.group ?? ''}
        options={[{ value: '', label: all }, ...groups.map((value) => ({ value, label: value }))]}
        onChange={(group) => set({ group: group || undefined })}
      />
      {clear === null ? null : (
        <Button size="sm" look="quiet" onClick={clear}>
          <X aria-hidden className="size-4" />
          {t('list.filters.clear')}
        </Button>
      )}
    </>
  )
}
