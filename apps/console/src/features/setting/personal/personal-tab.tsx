import { account, type SelfRow } from '@sluice/contract'
import { useFreshLogin } from '../../../crud/use-fresh-login.tsx'
import { useT } from '../../../lib/t.ts'
import { useRead } from '../../../lib/use-call.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { AccessToken } from './access-token.tsx'
import { Bindings } from './bindings.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Invitation } from './invitation.tsx'

/** The settings of one's own account. */
export function PersonalTab() {
  const self = useRead(account.self, { input: {}, isPreloaded: true })
  return (
    <div className="max-w-[720px]">
      <ReadGate read={self}>{(row) => <Sections self={row} />}</ReadGate>
    </div>
  )
}

function Sections({ self }: { readonly self: SelfRow }) {
  const t = useT()
  const { ensure, dialog } = useFreshLogin('/setting?tab=personal')
  return (
    <>
      <FormSection title={t('personal.account')} action={<ButtonLink to="/user/edit">{t('personal.edit')}</ButtonLink>}>
        <p className="wrap-anywhere text-muted">{t('personal.account.text', { name: self.username })}</p>
      </FormSection>
      <Bindings self={self} ensure={ensure} />
      <Invitation code={self.aff_code} />
      <AccessToken ensure={ensure} />
      <DeleteAccount username={self.username} ensure={ensure} />
      {dialog}
    </>
  )
}
