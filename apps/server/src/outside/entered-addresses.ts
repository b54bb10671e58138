import { isOptionKey, type OptionKey, type Settings } from '@sluice/contract'
import { mailOrigin } from './smtp.ts'

interface EnteredOptions {
  readonly current: () => Settings
  /** Whether root has set or confirmed the option, or nobody has set it. */
  readonly isVouched: (key: OptionKey) => boolean
}

/** The addresses of services in options that an administrator below root has set. */
export function enteredAddresses({ current, isVouched }: EnteredOptions): readonly string[] {
  const { MessagePusherAddress, WeChatServerAddress, OidcIssuer, SMTPServer, SMTPPort } = current()
  const mail = mailOrigin({ SMTPServer, SMTPPort })
  const services = { MessagePusherAddress, WeChatServerAddress, OidcIssuer, SMTPServer: mail, SMTPPort: mail }
  return Object.entries(services).flatMap(([key, address]) => (isOptionKey(key) && !isVouched(key) ? [address] : []))
}
