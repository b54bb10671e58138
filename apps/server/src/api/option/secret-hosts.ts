import { isHttpAddress, type OptionKey, optionKeys, type Settings } from '@sluice/contract'

interface Target {
  /** The server that the secret is sent to, from the options. */
  readonly host: string
  /** Whether the address is complete: consoles that save at every keystroke send beginnings of addresses too. */
  readonly isComplete: boolean
}

/**
 * The server to which each secret is sent, for secrets that go to an address from the options. A secret is stored with the server that it
 * was entered for and sent to no other. Otherwise anybody who may set the address could redirect a secret to a server of the own.
 */
const targets: Partial<Readonly<Record<OptionKey, (settings: Settings) => Target>>> = {
  SMTPToken: ({ SMTPServer, SMTPPort }) => ({ host: `${SMTPServer.toLowerCase()}:${SMTPPort}`, isComplete: SMTPServer !== '' }),
  MessagePusherToken: ({ MessagePusherAddress }) => originOf(MessagePusherAddress),
  OidcClientSecret: ({ OidcIssuer }) => originOf(OidcIssuer),
  WeChatServerToken: ({ WeChatServerAddress }) => originOf(WeChatServerAddress),
}

/** The server that a secret is sent to now; `null` = it goes to no address from the options. */
export function hostOf(key: OptionKey, settings: Settings): string | null {
  return targets[key]?.(settings).host ?? null
}

/** Secrets whose server changes with a change of the options. */
export function secretsWithChangedHost(before: Settings, after: Settings): readonly OptionKey[] {
  return optionKeys.filter((key) => hostOf(key, before) !== hostOf(key, after))
}

export function isTargetComplete(key: OptionKey, settings: Settings): boolean {
  return targets[key]?.(settings).isComplete ?? true
}

function originOf(address: string): Target {
  return { host: URL.parse(address)?.origin ?? address, isComplete: isHttpAddress(address) }
}
