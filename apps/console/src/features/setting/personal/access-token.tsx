import { account } from '@sluice/contract'
import { useT } from '../../../lib/t.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyField } from '../../../ui/copy-field.tsx'
import { useCopyOrShow } from '../../../ui/copy-or-show.tsx'
import { FormSection } from '../../../ui/form.tsx'

interface AccessTokenProps {
  readonly ensure: (act: () => void) => void
}

/** The token by which scripts call the management API. The server shows it once. */
export function AccessToken({ ensure }: AccessTokenProps) {
  const t = useT()
  const { copy, dialog } = useCopyOrShow()
  const make = useCall(account.accessToken, {
    onDone: (token) => copy({ text: token, name: t('personal.token'), done: t('personal.token.copied') }),
  })
  return (
    <FormSection
      title={t('personal.token')}
      action={
        <Button isBusy={make.isPending} onClick={() => ensure(() => make.mutate({}))}>
          {t('personal.token.make')}
        </Button>
      }
    >
      <p className="text-muted">{t('personal.token.text')}</p>
      {make.data === undefined ? null : (
        <>
          <Alert kind="info">{t('personal.token.once')}</Alert>
          <CopyField text={make.data} label={t('personal.token.copy')} />
        </>
      )}
      {dialog}
    </FormSection>
  )
}
