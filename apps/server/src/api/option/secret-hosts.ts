import { isHttpAddress, type OptionKey, optionKeys, type Settings } from '@sluice/contract'

interface Target {
  /** The server that the secret is sent to, as the options name it. */
  readonly host: string
  /** Whether that can be a server: consoles that save at every key send the beginnings of an address, too. */
  readonly isComplete: boolean
}

/**
 * Where each secret is sent that goes to an address from the options. It is kept together with the server that it was entered for, and sent
 * to no other: otherwise whoever may set the address could have a secret sent to a server of their own that nobody would show them.
 */
const targets: Partial<Readonly<Record<OptionKey, (settings: Settings) => Target>>> = {
  SMTPToken: ({ SMTPServer, SMTPPort }) => ({ host: `${SMTPServer.toLowerCase()}:${SMTPPort}`, isComplete: SMTPServer !== '' }),
  MessagePusherToken: ({ MessagePusherAddress }) => originOf(MessagePusherAddress),
  WeChatServerToken: ({ WeChatServerAddress }) => originOf(WeChatServerAddress),
}

/** The server that a secret is sent to now; `null`: it goes to no address from the options. */
export function hostOf(key: OptionKey, settings: Settings): string | null {
  return targets[key]?.(settings).host ?? null
}

/** Secrets that go to another server after a change of the options than before. */
export function secretsSentElsewhere(before: Settings, after: Settings): readonly OptionKey[] {
  return optionKeys.filter((key) => hostOf(key, before) !== hostOf(key, after))
}

export function isTargetComplete(key: OptionKey, settings: Settings): boolean {
  return targets[key]?.(settings).isComplete ?? true
}

function originOf(address: string): Target {
  return { host: URL.parse(address)?.origin ?? address, isComplete: isHttpAddress(address) }
}
