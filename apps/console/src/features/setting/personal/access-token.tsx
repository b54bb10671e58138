import { accessToken, account } from '@sluice/contract'
import { SystemTokenItem } from '../../../crud/access-token-items.tsx'
import { useT } from '../../../lib/t.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyField } from '../../../ui/copy-field.tsx'
import { useCopyOrShow } from '../../../ui/copy-or-show.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'

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
      <Present onRevoked={make.reset} />
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

/** The token that there is, with its last use. */
function Present({ onRevoked }: { readonly onRevoked: () => void }) {
  const t = useT()
  const read = useRead(accessToken.list, { input: {}, isPreloaded: true })
  const remove = useCall(account.removeAccessToken, {
    onDone: () => {
      onRevoked()
      showToast('success', t('action.done'))
    },
  })
  return (
    <ReadGate read={read} isPart>
      {({ system }) =>
        system === null ? (
          <p className="text-muted">{t('personal.token.none')}</p>
        ) : (
          <ul>
            <SystemTokenItem system={system} isBusy={remove.isPending} onRevoke={() => remove.mutate({})} />
          </ul>
        )
      }
    </ReadGate>
  )
}
