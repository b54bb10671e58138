import { useState } from 'react'
import { ValueDialog } from '../../crud/value-dialog.tsx'
import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { NumberInput } from '../../ui/input.tsx'
import { parseWholeCell } from './whole-cell-value.ts'

interface PriorityDialogProps {
  /** Number of channels. */
  readonly count: number
  readonly isOpen: boolean
  readonly onCancel: () => void
  readonly onChosen: (priority: number) => void
}

/** Asks for the priority of many channels. */
export function PriorityDialog({ count, isOpen, onCancel, onChosen }: PriorityDialogProps) {
  const t = useT()
  const [text, setText] = useState('')
  const priority = parseWholeCell(text, { value: Number.NaN, min: null })
  return (
    <ValueDialog
      title={t('channel.bulk.priority.title', { count })}
      isOpen={isOpen}
      onCancel={onCancel}
      isReady={priority !== null}
      onSubmit={() => (priority === null ? undefined : onChosen(priority))}
    >
      <Field label={t('channel.priority')} hint={t('channel.priority.hint')}>
        {(control) => (
          <NumberInput {...control} data-first inputMode="text" value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
    </ValueDialog>
  )
}
