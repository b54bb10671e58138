import { account } from '@sluice/contract'
import { Copy } from 'lucide-react'
import { withBasePath } from '../../../lib/base-path.ts'
import { useT } from '../../../lib/t.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Button } from '../../../ui/button.tsx'
import { useCopyOrShow } from '../../../ui/copy-or-show.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { Invited } from './invited.tsx'

interface InvitationProps {
  /** Empty = the account has none yet. */
  readonly code: string
}

/** The link by which others register, and who came by it. */
export function Invitation({ code }: InvitationProps) {
  const t = useT()
  const { copy, dialog } = useCopyOrShow()
  const fetchCode = useCall(account.inviteCode, {
    onDone: (fetched) => copy({ text: linkOf(fetched), name: t('personal.invite.link'), done: t('personal.invite.copied') }),
  })
  return (
    <FormSection
      title={t('personal.invite')}
      action={
        <Button isBusy={fetchCode.isPending} onClick={() => fetchCode.mutate({})}>
          <Copy aria-hidden className="size-4" />
          {t('personal.invite.copy')}
        </Button>
      }
    >
      <p className="text-muted">{t('personal.invite.text')}</p>
      {code === '' ? null : <code className="block font-mono text-sm break-all select-all">{linkOf(code)}</code>}
      <Invited />
      {dialog}
    </FormSection>
  )
}

function linkOf(code: string): string {
  return `${location.origin}${withBasePath('/register')}?aff=${encodeURIComponent(code)}`
}
