import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { resendSeconds, useCountdown } from '../lib/use-countdown.ts'
import { useSendCode } from '../lib/use-send-code.ts'
import type { BotCheck } from './bot-check.tsx'
import { Button } from './button.tsx'

interface SendCodeButtonProps {
  /** The address as it is typed now; empty = nothing is sent. */
  readonly emailOf: () => string
  readonly bot: BotCheck
  readonly waitText: string
  readonly successText: string
  /** A refusal may be about the field of the address. */
  readonly onFailed?: (failure: Error) => void
}

const ignore = () => {}

/** Mails a code, and can do so again after 30 seconds. */
export function SendCodeButton({ emailOf, bot, waitText, successText, onFailed = ignore }: SendCodeButtonProps) {
  const t = useT()
  const { left, start } = useCountdown()
  const { send, isBusy } = useSendCode(successText, onFailed)
  const click = () => {
    const email = emailOf().trim()
    if (email === '') return
    if (!bot.isReady) return showToast('info', waitText)
    send({ email, turnstile: bot.token })
    bot.renew()
    start(resendSeconds)
  }
  return (
    <Button onClick={click} isBusy={isBusy} disabled={left > 0} className="tabular">
      {left > 0 ? t('code.again', { count: left }) : t('code.send')}
    </Button>
  )
}
