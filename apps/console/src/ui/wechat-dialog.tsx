import { type SubmitEvent, useRef, useState } from 'react'
import { useStatus } from '../lib/status.ts'
import { useT } from '../lib/t.ts'
import { useCountdown } from '../lib/use-countdown.ts'
import { Alert } from './alert.tsx'
import { useBotCheck } from './bot-check.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

/** How long a code of the WeChat account is valid (specification, section 9). */
const codeSeconds = 180

interface WechatDialogProps {
  readonly title: string
  readonly submitLabel: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly isBusy: boolean
  /** The text of the last refusal; `null` = none. */
  readonly refusal: string | null
  readonly onCode: (input: { readonly code: string; readonly turnstile: string }) => void
}

/** Asks for a code of the WeChat account, to log in or to bind it. */
export function WechatDialog({ title, isOpen, onClose, ...rest }: WechatDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <WechatForm {...rest} />
    </Dialog>
  )
}

type WechatFormProps = Omit<WechatDialogProps, 'title' | 'isOpen' | 'onClose'>

function WechatForm({ submitLabel, isBusy, refusal, onCode }: WechatFormProps) {
  const t = useT()
  const { wechat_qrcode = '' } = useStatus()
  const field = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string | null>(null)
  // A code cannot be older than this dialog.
  const { left } = useCountdown(codeSeconds)
  const bot = useBotCheck(refusal !== null)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    // The dialog may stand in another form of the page.
    event.stopPropagation()
    if (isBusy) return
    const code = field.current?.value.trim() ?? ''
    setError(code === '' ? t('wechat.code.missing') : bot.isReady ? null : t('bot.wait'))
    if (code === '') return field.current?.focus()
    if (!bot.isReady) return
    onCode({ code, turnstile: bot.token })
    bot.renew()
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {wechat_qrcode === '' ? (
        <Alert kind="info">{t('wechat.noQr')}</Alert>
      ) : (
        <img
          src={wechat_qrcode}
          alt={t('wechat.qr')}
          width={180}
          height={180}
          className="mx-auto size-45 rounded-md border object-contain"
        />
      )}
      <p className="text-center text-muted">{t('wechat.how')}</p>
      <Field label={t('wechat.code')} error={error ?? refusal ?? undefined} hint={<Validity left={left} />}>
        {(control) => <Input {...control} ref={field} name="code" data-first autoComplete="one-time-code" autoCapitalize="none" />}
      </Field>
      {bot.view}
      <Button type="submit" look="primary" className="w-full" isBusy={isBusy}>
        {submitLabel}
      </Button>
    </form>
  )
}

function Validity({ left }: { readonly left: number }) {
  const t = useT()
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
  return <span className="tabular">{left === 0 ? t('wechat.over') : t('wechat.left', { time })}</span>
}
