import { channel } from '@sluice/contract'
import { type SubmitEvent, useState } from 'react'
import { useFreshLogin } from '../../crud/use-fresh-login.tsx'
import { call, toastError } from '../../lib/api.ts'
import { saveFile } from '../../lib/download.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { fileStamp } from '../../lib/time.ts'
import { showToast } from '../../lib/toasts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/toggle.tsx'
import type { ExportInput } from './export-input.ts'

interface ExportDialogProps {
  readonly input: ExportInput
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Names that one message shows; the file has all. */
const namesMax = 20

/** Saves channels as a file that can be imported. Keys are for root only, soon after a login. */
export function ExportDialog({ input, isOpen, onClose }: ExportDialogProps) {
  const t = useT()
  const { isRoot } = useSession()
  const fresh = useFreshLogin('/channel')
  const [hasKeys, setKeys] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    setKeys(false)
    onClose()
  }
  const save = async (endpoint: typeof channel.exportFile | typeof channel.exportKeys) => {
    setBusy(true)
    try {
      const file = await call(endpoint, input)
      const content = new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' })
      saveFile(`channels-${fileStamp(new Date())}.json`, content)
      showToast('success', t('transfer.export.done', { count: file.channels.length }))
      const leftOut = file.left_out.map(({ id, name }) => `#${id} ${name}`)
      if (leftOut.length > 0) showToast('warning', t('transfer.export.leftOut', { names: leftOut.slice(0, namesMax).join(', ') }))
      close()
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (!hasKeys) return void save(channel.exportFile)
    // Two questions above each other would confuse: this one makes room for that of the password.
    onClose()
    fresh.ensure(() => void save(channel.exportKeys))
  }
  return (
    <>
      <Dialog title={t('transfer.export.title')} isOpen={isOpen} onClose={close}>
        <form onSubmit={submit} className="space-y-4">
          <p className="text-muted">
            {input.ids === undefined ? t('transfer.export.all') : t('transfer.export.some', { count: input.ids.length })}
          </p>
          {isRoot ? (
            <Switch label={t('transfer.export.keys')} hint={t('transfer.export.keys.hint')} isOn={hasKeys} onChange={setKeys} />
          ) : null}
          {hasKeys ? null : <p className="text-muted">{t('transfer.export.none')}</p>}
          <div className="flex flex-row-reverse gap-2">
            <Button type="submit" look="primary" isBusy={isBusy} data-first>
              {t('transfer.export.submit')}
            </Button>
            <Button onClick={close}>{t('action.cancel')}</Button>
          </div>
        </form>
      </Dialog>
      {fresh.dialog}
    </>
  )
}
