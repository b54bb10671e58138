import { account } from '@sluice/contract'
import { useT } from '../../../lib/t.ts'
import { useRead } from '../../../lib/use-call.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Invitation } from './invitation.tsx'

/** The settings of one's own account. */
export function PersonalTab() {
  const t = useT()
  const self = useRead(account.self, { input: {} })
  return (
    <div className="max-w-[720px]">
      <ReadGate read={self}>
        {(row) => (
          <>
            <FormSection title={t('personal.account')} action={<ButtonLink to="/user/edit">{t('personal.edit')}</ButtonLink>}>
              <p className="text-muted">{t('personal.account.text', { name: row.username })}</p>
            </FormSection>
            <Invitation code={row.aff_code} />
            <DeleteAccount username={row.username} />
          </>
        )}
      </ReadGate>
    </div>
  )
}
