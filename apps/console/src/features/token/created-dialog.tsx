import type { TokenRow } from '@sluice/contract'
import type { CreatedProps } from '../../crud/entity-spec.ts'
import { useT } from '../../lib/t.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Shows the new key, ready to be copied. */
export function CreatedDialog({ created, isOpen, onClose }: CreatedProps<TokenRow, unknown>) {
  const t = useT()
  return (
    <Dialog title={t('token.created.title', { name: created.name })} isOpen={isOpen} onClose={onClose}>
      <p className="mb-3 text-muted">{t('token.created.text')}</p>
      <CopyField text={`sk-${created.key}`} label={t('token.created.copy')} isFirst />
      <div className="mt-4 flex flex-wrap gap-2">
        <ButtonLink to="/token">{t('token.created.list')}</ButtonLink>
        <Button onClick={onClose}>{t('token.created.another')}</Button>
      </div>
    </Dialog>
  )
}
