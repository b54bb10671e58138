import { type ChannelRow, channel } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import { CallError, call, explain, toastError } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { PasswordInput } from '../../ui/input.tsx'

interface NewKeyDialogProps {
  /** The last row is kept while the dialog closes. */
  readonly row: ChannelRow | null
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Replaces the key of a channel and changes nothing else. */
export function NewKeyDialog({ row, isOpen, onClose }: NewKeyDialogProps) {
  const t = useT()
  return (
    <Dialog title={t('channel.newKey.of', { name: row?.name ?? '' })} isOpen={isOpen} onClose={onClose}>
      {row === null ? null : <KeyForm key={row.id} row={row} onDone={onClose} />}
    </Dialog>
  )
}

function KeyForm({ row, onDone }: { readonly row: ChannelRow; readonly onDone: () => void }) {
  const t = useT()
  const [key, setKey] = useState('')
  const [fault, setFault] = useState<string | undefined>(undefined)
  const [isSaving, setSaving] = useState(false)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isSaving) return
    if (key.trim() === '') return setFault(t('channel.newKey.missing'))
    setSaving(true)
    try {
      await call(channel.update, { id: row.id, key: key.trim() })
      showToast('success', t('channel.newKey.done', { name: row.name }))
      onDone()
    } catch (error) {
      if (error instanceof CallError) setFault(explain(error)?.text)
      toastError(error)
    } finally {
      setSaving(false)
    }
  }
  return (
    <form noValidate onSubmit={(event) => void save(event)}>
      <Field label={t('channel.key')} hint={t('channel.newKey.hint')} error={fault}>
        {(control) => (
          <PasswordInput
            {...control}
            data-first
            value={key}
            onChange={({ target }) => setKey(target.value)}
            placeholder={vendorByType(row.type)?.keyHint}
            autoComplete="new-password"
          />
        )}
      </Field>
      <div className="mt-4 flex flex-row-reverse gap-2">
        <Button type="submit" look="primary" isBusy={isSaving}>
          {t('action.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </form>
  )
}
