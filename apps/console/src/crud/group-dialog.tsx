import { useState } from 'react'
import { useT } from '../lib/t.ts'
import { useGroups } from '../lib/use-groups.ts'
import { Field } from '../ui/field.tsx'
import { ModelPicker } from '../ui/model-picker.tsx'
import { ValueDialog } from './value-dialog.tsx'

interface GroupDialogProps {
  readonly title: string
  readonly hint: string
  /** Chosen at first. */
  readonly groups: readonly string[]
  /** Whether names that no option knows may be entered. */
  readonly allowsCustom: boolean
  readonly isOpen: boolean
  readonly onCancel: () => void
  /** Receives the comma list. */
  readonly onChosen: (group: string) => void
}

/** Chooses the groups of one row or of many. */
export function GroupDialog({ title, hint, groups, allowsCustom, isOpen, onCancel, onChosen }: GroupDialogProps) {
  const t = useT()
  const known = useGroups()
  const [chosen, setChosen] = useState(groups)
  return (
    <ValueDialog title={title} isOpen={isOpen} onCancel={onCancel} isReady={chosen.length > 0} onSubmit={() => onChosen(chosen.join(','))}>
      <Field label={t('list.groups')} hint={hint}>
        {(control) => (
          <ModelPicker
            control={control}
            label={t('list.groups')}
            value={chosen}
            onChange={setChosen}
            items={known}
            allowsCustom={allowsCustom}
            placeholder={t('list.groups.search')}
          />
        )}
      </Field>
    </ValueDialog>
  )
}
