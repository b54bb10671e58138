import type { TokenRow } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface ReplacedDialogProps {
  readonly row: TokenRow
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Shows the key that replaced another one, ready to be copied. */
export function ReplacedDialog({ row, isOpen, onClose }: ReplacedDialogProps) {
  const t = useT()
  return (
    <Dialog title={t('token.replaced.title', { name: row.name })} isOpen={isOpen} onClose={onClose}>
      <p className="mb-3 text-muted">{t('token.replaced.text')}</p>
      <CopyField text={`sk-${row.key}`} label={t('token.created.copy')} isFirst />
      <div className="mt-4">
        <Button onClick={onClose}>{t('action.close')}</Button>
      </div>
    </Dialog>
  )
}
