import { type OptionKey, optionKeys, type Settings } from '@sluice/contract'

/**
 * Where each secret is sent that goes to an address from the options. When that address changes to another origin the secret is removed:
 * otherwise whoever may set the address could have a secret sent to a server of their own that nobody would show them.
 */
const hosts: Partial<Readonly<Record<OptionKey, (settings: Settings) => string>>> = {
  SMTPToken: ({ SMTPServer, SMTPPort }) => `${SMTPServer.toLowerCase()}:${SMTPPort}`,
  MessagePusherToken: ({ MessagePusherAddress }) => originOf(MessagePusherAddress),
  WeChatServerToken: ({ WeChatServerAddress }) => originOf(WeChatServerAddress),
}

/** Secrets that are stored and that a change of the options would send elsewhere. */
export function secretsSentElsewhere(before: Settings, after: Settings): readonly OptionKey[] {
  return optionKeys.filter((key) => {
    const hostOf = hosts[key]
    return hostOf !== undefined && before[key] !== '' && hostOf(before) !== hostOf(after)
  })
}

function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address
}
