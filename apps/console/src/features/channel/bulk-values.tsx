import { type ChannelRow, channel } from '@sluice/contract'
import { Layers, ListOrdered } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { useGroups } from '../../lib/use-groups.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { NumberInput } from '../../ui/input.tsx'
import { ModelPicker } from '../../ui/model-picker.tsx'
import type { BulkAction, BulkChooser } from '../../ui/table/actions.ts'
import { parseWholeCell } from './whole-cell-value.ts'

/** Sets the groups or the priority of many channels. */
export function useBulkValues({ patch }: Pick<ListView<ChannelRow>, 'patch'>): readonly BulkAction<ChannelRow>[] {
  const t = useT()
  const set = (change: Partial<Pick<ChannelRow, 'group' | 'priority'>>) => async (row: ChannelRow) =>
    patch(row.id, await call(channel.update, { id: row.id, ...change }))
  return [
    {
      id: 'group',
      label: t('channel.bulk.group'),
      icon: Layers,
      choose: (chooser) => <GroupChooser {...chooser} actOf={(group) => set({ group })} />,
    },
    {
      id: 'priority',
      label: t('channel.bulk.priority'),
      icon: ListOrdered,
      choose: (chooser) => <PriorityChooser {...chooser} actOf={(priority) => set({ priority })} />,
    },
  ]
}

interface ChooserProps<Value> extends BulkChooser<ChannelRow> {
  readonly actOf: (value: Value) => (row: ChannelRow) => Promise<unknown>
}

function GroupChooser({ actOf, ...chooser }: ChooserProps<string>) {
  const t = useT()
  const groups = useGroups()
  const [chosen, setChosen] = useState<readonly string[]>(['default'])
  return (
    <ValueDialog
      {...chooser}
      title={t('channel.bulk.group.title', { count: chooser.count })}
      isReady={chosen.length > 0}
      onSubmit={() => chooser.onChosen(actOf(chosen.join(',')))}
    >
      <Field label={t('channel.groups')} hint={t('channel.bulk.group.hint')}>
        {(control) => (
          <ModelPicker
            control={control}
            label={t('channel.groups')}
            value={chosen}
            onChange={setChosen}
            items={groups}
            allowsCustom={false}
            placeholder={t('channel.groups.search')}
          />
        )}
      </Field>
    </ValueDialog>
  )
}

function PriorityChooser({ actOf, ...chooser }: ChooserProps<number>) {
  const t = useT()
  const [text, setText] = useState('')
  const priority = parseWholeCell(text, { value: Number.NaN, min: null })
  return (
    <ValueDialog
      {...chooser}
      title={t('channel.bulk.priority.title', { count: chooser.count })}
      isReady={priority !== null}
      onSubmit={() => (priority === null ? undefined : chooser.onChosen(actOf(priority)))}
    >
      <Field label={t('channel.priority')} hint={t('channel.priority.hint')}>
        {(control) => (
          <NumberInput {...control} data-first inputMode="text" value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
    </ValueDialog>
  )
}

interface ValueDialogProps extends BulkChooser<ChannelRow> {
  readonly title: string
  readonly isReady: boolean
  readonly onSubmit: () => void
  readonly children: ReactNode
}

function ValueDialog({ title, isOpen, onCancel, isReady, onSubmit, children }: ValueDialogProps) {
  const t = useT()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onSubmit()
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onCancel}>
      <form onSubmit={submit}>
        {children}
        <div className="mt-4 flex flex-row-reverse gap-2">
          <Button type="submit" look="primary" disabled={!isReady}>
            {t('action.apply')}
          </Button>
          <Button onClick={onCancel}>{t('action.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
