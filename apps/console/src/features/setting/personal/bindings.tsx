import { type Binding, bindingColumns, bindings, oauth, type SelfRow, type StatusObject } from '@sluice/contract'
import { Mail } from 'lucide-react'
import { useState } from 'react'
import { explain } from '../../../lib/api.ts'
import { isOffered, oidcNameOf } from '../../../lib/oauth.ts'
import { useStatus } from '../../../lib/status.ts'
import { useT } from '../../../lib/t.ts'
import { cx } from '../../../lib/text.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall } from '../../../lib/use-call.ts'
import { useOauth } from '../../../lib/use-oauth.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ServiceIcon } from '../../../ui/service-icon.tsx'
import { StatusBadge, type StatusLooks } from '../../../ui/status-badge.tsx'
import { WechatDialog } from '../../../ui/wechat-dialog.tsx'
import { EmailDialog } from './email-dialog.tsx'

interface BindingsProps {
  readonly self: SelfRow
  readonly ensure: (act: () => void) => void
}

/** What the account can be entered or recovered by, besides its password. */
export function Bindings({ self, ensure }: BindingsProps) {
  const t = useT()
  const status = useStatus()
  const { leave, leavingFor } = useOauth()
  const [binding, setBinding] = useState<'email' | 'wechat' | null>(null)
  const visible = bindings.filter((way) => self[bindingColumns[way]] !== '' || canBind(way, status))
  const bind = (way: Binding) => ensure(() => (way === 'email' || way === 'wechat' ? setBinding(way) : leave(way)))
  const bound = () => setBinding(null)
  return (
    <FormSection title={t('personal.bindings')}>
      <ul className="divide-y">
        {visible.map((way) => (
          <BindingRow
            key={way}
            way={way}
            value={self[bindingColumns[way]]}
            canBind={canBind(way, status)}
            isBusy={leavingFor === way}
            onBind={() => bind(way)}
            ensure={ensure}
          />
        ))}
      </ul>
      <EmailDialog isOpen={binding === 'email'} onClose={() => setBinding(null)} onBound={bound} />
      <BindWechat isOpen={binding === 'wechat'} onClose={() => setBinding(null)} onBound={bound} />
    </FormSection>
  )
}

function canBind(way: Binding, status: Partial<StatusObject>): boolean {
  if (way === 'email') return true
  return way === 'wechat' ? status.wechat_login === true : isOffered(way, status)
}

interface BindingRowProps {
  readonly way: Binding
  /** Empty = not bound. */
  readonly value: string
  readonly canBind: boolean
  readonly isBusy: boolean
  readonly onBind: () => void
  readonly ensure: (act: () => void) => void
}

function BindingRow({ way, value, canBind: isOpen, isBusy, onBind, ensure }: BindingRowProps) {
  const t = useT()
  const status = useStatus()
  const name = way === 'email' ? t('personal.email') : way === 'oidc' ? oidcNameOf(status) : t(`service.${way}`)
  const isBound = value !== ''
  // An address can be replaced at once; another service must be unlinked before.
  const isBindable = isOpen && (!isBound || way === 'email')
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <span className="text-muted">{way === 'email' ? <Mail aria-hidden className="size-4" /> : <ServiceIcon service={way} />}</span>
      <span className="min-w-16 font-medium">{name}</span>
      <span className={cx('min-w-0 flex-1 truncate text-muted', isBound && way === 'email' && 'min-w-44!')} title={value}>
        <BindingValue way={way} value={value} />
      </span>
      <span className="ml-auto flex gap-2">
        {isBindable ? (
          <Button size="sm" isBusy={isBusy} aria-label={t(isBound ? 'personal.change.of' : 'personal.bind.of', { name })} onClick={onBind}>
            {t(isBound ? 'personal.change' : 'personal.bind')}
          </Button>
        ) : null}
        {isBound ? <Unbind way={way} name={name} ensure={ensure} /> : null}
      </span>
    </li>
  )
}

const bindingLooks: StatusLooks<'bound' | 'unbound'> = {
  byStatus: { bound: { tone: 'green', text: 'personal.bound' }, unbound: { tone: 'grey', text: 'personal.unbound' } },
}

/** An address means something to its owner; the ids of services do not. */
function BindingValue({ way, value }: Pick<BindingRowProps, 'way' | 'value'>) {
  if (value !== '' && way === 'email') return value
  return <StatusBadge looks={bindingLooks} status={value === '' ? 'unbound' : 'bound'} />
}

interface UnbindProps {
  readonly way: Binding
  readonly name: string
  readonly ensure: (act: () => void) => void
}

function Unbind({ way, name, ensure }: UnbindProps) {
  const t = useT()
  const [isAsked, setConfirming] = useState(false)
  const unbind = useCall(oauth.unbind, { onDone: () => showToast('success', t('action.done')) })
  const confirm = () => {
    setConfirming(false)
    ensure(() => unbind.mutate({ way }))
  }
  return (
    <>
      <Button size="sm" isBusy={unbind.isPending} aria-label={t('personal.unbind.of', { name })} onClick={() => setConfirming(true)}>
        {t('personal.unbind')}
      </Button>
      <ConfirmDialog
        title={t('personal.unbind.title', { name })}
        text={t(way === 'email' ? 'personal.unbind.email' : 'personal.unbind.text', { name })}
        confirmLabel={t('personal.unbind')}
        isOpen={isAsked}
        onConfirm={confirm}
        onCancel={() => setConfirming(false)}
      />
    </>
  )
}

interface BindWechatProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onBound: () => void
}

function BindWechat({ isOpen, onClose, onBound }: BindWechatProps) {
  const t = useT()
  const bind = useCall(oauth.bindWechat, {
    onDone: () => {
      showToast('success', t('personal.wechat.bound'))
      onBound()
    },
  })
  const close = () => {
    onClose()
    bind.reset()
  }
  return (
    <WechatDialog
      title={t('personal.bind.of', { name: t('service.wechat') })}
      submitLabel={t('personal.bind')}
      isOpen={isOpen}
      onClose={close}
      isBusy={bind.isPending}
      refusal={bind.error === null ? null : (explain(bind.error)?.text ?? null)}
      onCode={({ code, turnstile }) => bind.mutate({ code, ...(turnstile !== '' && { turnstile }) })}
    />
  )
}
