import { type ChannelRow, channel } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import { explain } from '../../lib/api.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { keyHintOf, vendorByType } from '../../lib/vendors.ts'
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
  const locale = useLocale()
  const vendor = vendorByType(row.type)
  const [key, setKey] = useState('')
  const [isMissing, setMissing] = useState(false)
  const update = useCall(channel.update, {
    onDone: () => {
      showToast('success', t('channel.newKey.done', { name: row.name }))
      onDone()
    },
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    setMissing(key.trim() === '')
    if (key.trim() !== '') update.mutate({ id: row.id, key: key.trim() })
  }
  const fault = isMissing ? t('channel.newKey.missing') : update.error === null ? undefined : explain(update.error)?.text
  return (
    <form noValidate onSubmit={save}>
      <Field label={t('channel.key')} hint={t('channel.newKey.hint')} error={fault}>
        {(control) => (
          <PasswordInput
            {...control}
            data-first
            value={key}
            onChange={({ target }) => setKey(target.value)}
            placeholder={vendor === null ? undefined : keyHintOf(vendor, locale)}
            autoComplete="new-password"
          />
        )}
      </Field>
      <div className="mt-4 flex flex-row-reverse gap-2">
        <Button type="submit" look="primary" isBusy={update.isPending}>
          {t('action.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </form>
  )
}
