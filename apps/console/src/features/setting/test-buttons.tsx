import { option } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { Button } from '../../ui/button.tsx'
import type { SectionParts } from './option-section.tsx'

/** Sends a mail to the own address, by the saved options. */
export function TestMail({ hasChanges }: SectionParts) {
  const t = useT()
  const send = useCall(option.testMail, { onDone: (email) => showToast('success', t('setting.test.mail.done', { email })) })
  return <TestButton label={t('setting.test.mail')} isBusy={send.isPending} isDisabled={hasChanges} onClick={() => send.mutate({})} />
}

export function TestPusher({ hasChanges }: SectionParts) {
  const t = useT()
  const send = useCall(option.testPusher, { onDone: () => showToast('success', t('setting.test.pusher.done')) })
  return <TestButton label={t('setting.test.pusher')} isBusy={send.isPending} isDisabled={hasChanges} onClick={() => send.mutate({})} />
}

interface TestButtonProps {
  readonly label: string
  readonly isBusy: boolean
  readonly isDisabled: boolean
  readonly onClick: () => void
}

function TestButton({ label, isBusy, isDisabled, onClick }: TestButtonProps) {
  const t = useT()
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button isBusy={isBusy} disabled={isDisabled} onClick={onClick}>
        {label}
      </Button>
      <span className="text-sm text-muted">{t('setting.test.hint')}</span>
    </div>
  )
}
