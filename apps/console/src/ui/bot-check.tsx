import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useStatus } from '../lib/status.ts'
import { currentLocale, useT } from '../lib/t.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

/** https://developers.cloudflare.com/turnstile/get-started/client-side-rendering, read 2026-11-22. */
interface Turnstile {
  render(box: HTMLElement, options: Readonly<Record<string, unknown>>): string | undefined
  remove(widget: string): void
}

declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

const scriptAddress = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

export interface BotCheck {
  /** Whether a call may be sent: the check is off, or passed. Not before the server has said which. */
  readonly isReady: boolean
  /** Passed once; empty if the check is off, and then sent so: the calls have this parameter in any case (specification, section 7). */
  readonly token: string
  /** Each token is accepted once, so a call needs a new one after it. */
  readonly renew: () => void
  readonly view: ReactNode
}

/** The bot check, if the server asks for it. `isWanted`: some calls need it only at times. */
export function useBotCheck(isWanted = true): BotCheck {
  const { turnstile_check, turnstile_site_key = '' } = useStatus()
  const [token, setToken] = useState('')
  const [round, setRound] = useState(0)
  const isOn = turnstile_check === true && isWanted
  const renew = (): void => {
    setToken('')
    setRound((last) => last + 1)
  }
  return {
    isReady: !isWanted || turnstile_check === false || token !== '',
    token: isOn ? token : '',
    renew,
    view: isOn ? <Challenge key={round} siteKey={turnstile_site_key} onToken={setToken} onRetry={renew} /> : null,
  }
}

interface ChallengeProps {
  readonly siteKey: string
  readonly onToken: (token: string) => void
  readonly onRetry: () => void
}

function Challenge({ siteKey, onToken, onRetry }: ChallengeProps) {
  const t = useT()
  const box = useRef<HTMLDivElement>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let widget: string | undefined
    let isGone = false
    const fail = (): void => {
      if (!isGone) setFailed(true)
    }
    loadTurnstile().then((turnstile) => {
      if (isGone || box.current === null) return
      widget = turnstile.render(box.current, {
        sitekey: siteKey,
        theme: document.documentElement.dataset['theme'] ?? 'auto',
        language: currentLocale(),
        size: 'flexible',
        callback: onToken,
        'expired-callback': () => onToken(''),
        'error-callback': fail,
      })
    }, fail)
    return () => {
      isGone = true
      if (widget !== undefined) window.turnstile?.remove(widget)
    }
  }, [siteKey, onToken])
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{t('bot.label')}</legend>
      {hasFailed ? (
        <Alert
          kind="error"
          action={
            <Button size="sm" onClick={onRetry}>
              {t('action.retry')}
            </Button>
          }
        >
          {t('bot.failed')}
        </Alert>
      ) : (
        // As high as the widget, so that nothing moves when it appears.
        <div ref={box} className="min-h-[65px]" />
      )}
    </fieldset>
  )
}

/** Loads the script once; after a failure the next call tries again. */
function loadTurnstile(): Promise<Turnstile> {
  const { turnstile } = window
  if (turnstile !== undefined) return Promise.resolve(turnstile)
  return new Promise((resolve, reject) => {
    const known = document.querySelector<HTMLScriptElement>(`script[src="${scriptAddress}"]`)
    const script = known ?? document.createElement('script')
    script.addEventListener('load', () => {
      if (window.turnstile === undefined) reject(new Error('the script of the bot check did not start'))
      else resolve(window.turnstile)
    })
    script.addEventListener('error', () => {
      script.remove()
      reject(new Error('the script of the bot check could not be loaded'))
    })
    if (known !== null) return
    script.src = scriptAddress
    script.async = true
    document.head.append(script)
  })
}
