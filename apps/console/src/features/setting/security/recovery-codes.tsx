import { useState } from 'react'
import { saveText } from '../../../lib/download.ts'
import { useT } from '../../../lib/t.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-field.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

interface RecoveryCodesProps {
  /** `null` = none were made. */
  readonly codes: readonly string[] | null
  readonly onClose: () => void
}

/** New recovery codes, which the server shows once. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const t = useT()
  // What is shown is kept while the dialog closes.
  const [last, setLast] = useState(codes)
  if (codes !== null && codes !== last) setLast(codes)
  const text = (last ?? []).join('\n')
  return (
    <Dialog title={t('security.codes')} isOpen={codes !== null} onClose={onClose}>
      <div className="space-y-4">
        <p className="text-muted">{t('security.codes.text')}</p>
        <Alert kind="info">{t('security.codes.once')}</Alert>
        <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-sm border bg-sunken p-3 font-mono text-sm select-all">
          {(last ?? []).map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap items-center gap-2">
          <Button look="primary" data-first onClick={onClose}>
            {t('security.codes.kept')}
          </Button>
          <Button onClick={() => saveText('recovery-codes.txt', `${text}\n`)}>{t('security.codes.save')}</Button>
          <CopyButton text={text} label={t('security.codes.copy')} />
        </div>
      </div>
    </Dialog>
  )
}
