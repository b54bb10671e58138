import { type SecondFactorState, secondFactor } from '@sluice/contract'
import { useState } from 'react'
import { useRevokeChoice } from '../../../crud/use-revoke-choice.tsx'
import { late } from '../../../lib/late.ts'
import { useT, withTexts } from '../../../lib/t.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { LateLayer } from '../../../ui/late-layer.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { StatusBadge, type StatusLooks } from '../../../ui/status-badge.tsx'
import { UnreadableBadge } from '../../../ui/unreadable-badge.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** The image needs a library of its own. */
const appDialogCode = late(withTexts(() => import('./app-dialog.tsx'), 'security'))

interface SecondFactorProps {
  readonly ensure: (act: () => void) => void
}

/** The second factor of the account's logins. */
export function SecondFactor({ ensure }: SecondFactorProps) {
  const t = useT()
  const read = useRead(secondFactor.get, { input: {}, isPreloaded: true })
  return (
    <FormSection title={t('security.second')}>
      <ReadGate read={read} isPart>
        {(state) => <State state={state} ensure={ensure} />}
      </ReadGate>
    </FormSection>
  )
}

function State({ state, ensure }: SecondFactorProps & { readonly state: SecondFactorState }) {
  const t = useT()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [isAdding, setAdding] = useState(false)
  const show = ({ recovery_codes }: { readonly recovery_codes: readonly string[] }) =>
    recovery_codes.length === 0 ? undefined : setCodes(recovery_codes)
  const turn = useCall(secondFactor.update, {
    onDone: (newCodes) => {
      showToast('success', t('action.done'))
      show(newCodes)
    },
  })
  const renew = useCall(secondFactor.renewCodes, { onDone: show })
  const confirmed = (newCodes: readonly string[]) => {
    setAdding(false)
    setCodes(newCodes)
  }
  return (
    <div className="space-y-4">
      {state.is_missing ? <Alert kind="warning">{t('security.second.missing')}</Alert> : null}
      <p className="text-muted">{t('security.second.text')}</p>
      <ul className="divide-y">
        <li className="flex flex-wrap items-center gap-3 py-2.5 first:pt-0">
          <span className="min-w-0 flex-1">
            <span className="font-medium">{t('security.second.step')}</span>{' '}
            <StatusBadge looks={secondStepLooks} status={state.is_on ? 'on' : 'off'} />
          </span>
          {state.is_on ? (
            <TurnOff onConfirm={(choice) => ensure(() => turn.mutate({ is_on: false, ...choice }))} />
          ) : (
            <Button size="sm" isBusy={turn.isPending} onClick={() => ensure(() => turn.mutate({ is_on: true }))}>
              {t('security.second.on')}
            </Button>
          )}
        </li>
        <li className="flex flex-wrap items-center gap-3 py-2.5">
          <span className="min-w-0 flex-1">
            <span className="font-medium">{t('security.app')}</span>{' '}
            <StatusBadge looks={appLooks} status={state.has_app ? 'set' : 'none'} /> <UnreadableBadge row={state} />
          </span>
          {state.has_app ? (
            <RemoveApp ensure={ensure} />
          ) : (
            <Button size="sm" onClick={() => ensure(() => setAdding(true))}>
              {t('security.app.add')}
            </Button>
          )}
        </li>
        {state.is_on ? (
          <li className="flex flex-wrap items-center gap-3 py-2.5 last:pb-0">
            <span className="min-w-0 flex-1">
              <span className="font-medium">{t('security.codes')}</span>{' '}
              <span className="text-muted">{t('security.codes.left', { count: state.recovery_codes })}</span>
            </span>
            <Button size="sm" isBusy={renew.isPending} onClick={() => ensure(() => renew.mutate({}))}>
              {t('security.codes.renew')}
            </Button>
          </li>
        ) : null}
      </ul>
      <LateLayer code={appDialogCode} isOpen={isAdding} onFailed={() => setAdding(false)}>
        {({ AppDialog }) => <AppDialog isOpen={isAdding} onClose={() => setAdding(false)} onConfirmed={confirmed} />}
      </LateLayer>
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </div>
  )
}

const secondStepLooks: StatusLooks<'on' | 'off'> = {
  byStatus: { on: { tone: 'green', text: 'security.on' }, off: { tone: 'grey', text: 'security.off' } },
}

const appLooks: StatusLooks<'set' | 'none'> = {
  byStatus: { set: { tone: 'green', text: 'security.app.set' }, none: { tone: 'grey', text: 'security.app.none' } },
}

function TurnOff({ onConfirm }: { readonly onConfirm: (choice: { readonly revoke_access_tokens: boolean }) => void }) {
  const t = useT()
  const revoke = useRevokeChoice()
  const [isAsked, setConfirming] = useState(false)
  return (
    <>
      <Button size="sm" onClick={() => setConfirming(true)}>
        {t('security.second.off')}
      </Button>
      <ConfirmDialog
        title={t('security.second.off.title')}
        text={t('security.second.off.text')}
        extra={revoke.field}
        confirmLabel={t('security.second.off')}
        isOpen={isAsked}
        onCancel={() => setConfirming(false)}
        onConfirm={() => {
          setConfirming(false)
          onConfirm(revoke.read())
        }}
      />
    </>
  )
}

function RemoveApp({ ensure }: SecondFactorProps) {
  const t = useT()
  const [isAsked, setConfirming] = useState(false)
  const revoke = useRevokeChoice()
  const remove = useCall(secondFactor.removeApp, { onDone: () => showToast('success', t('action.done')) })
  const confirm = () => {
    setConfirming(false)
    const choice = revoke.read()
    ensure(() => remove.mutate(choice))
  }
  return (
    <>
      <Button size="sm" isBusy={remove.isPending} onClick={() => setConfirming(true)}>
        {t('security.app.remove')}
      </Button>
      <ConfirmDialog
        title={t('security.app.remove.title')}
        text={t('security.app.remove.text')}
        extra={revoke.field}
        confirmLabel={t('security.app.remove')}
        isOpen={isAsked}
        onCancel={() => setConfirming(false)}
        onConfirm={confirm}
      />
    </>
  )
}
