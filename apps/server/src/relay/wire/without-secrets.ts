import { keyPlaceholder } from '@sluice/contract'
import type { ChannelConfig } from '@sluice/vendors/channel-config'
import type { Failure } from '@sluice/vendors/dialect'
import type { ChannelSettings } from '../model/channel.ts'

/** Shorter keys, parts of keys and header values are not redacted: they are placeholders, numbers or team names in normal text. */
const secretCharsMin = 8

/** Members of a channel's configuration that are secret. */
const secretMembers = ['ak', 'sk', 'vertex_ai_adc'] as const

/** The secrets of a channel. */
export interface Secretive {
  readonly key: string
  readonly config: ChannelConfig
  readonly settings?: Pick<ChannelSettings, 'headers'>
}

/** The last credentials that vendors gave for channels' keys. */
const credentials = new WeakMap<Secretive, string>()

/** Keeps the credential that is sent in the place of a channel's key: it is as secret as the key. */
export function rememberCredential(channel: Secretive, credential: string): void {
  credentials.set(channel, credential)
}

/** Redacts a channel's secrets in its vendor's text. */
export function withoutSecrets(text: string, channel: Secretive): string {
  return secretsOf(channel).reduce((words, secret) => words.replaceAll(secret, '***'), text)
}

/** Longest first, so that no part of a secret remains. Some keys hold several values (`id|secret`), and a vendor may repeat each alone. */
function secretsOf(channel: Secretive): readonly string[] {
  const { key, config, settings } = channel
  const values = Object.values(settings?.headers ?? {}).map((value) => value.replaceAll(keyPlaceholder, ''))
  // A header value may begin with a scheme: `Token abc`.
  const members = secretMembers.flatMap((name) => config[name] ?? [])
  const wordsOfValues = values.flatMap((value) => value.split(/\s+/))
  const parts = [key, ...key.split('|'), ...members, credentials.get(channel) ?? '', ...values, ...wordsOfValues].filter(
    (part) => part.length >= secretCharsMin,
  )
  return parts.sort((one, other) => other.length - one.length)
}

/** The same for all texts of a failure: a vendor may repeat the key that it refuses in any field. */
export function failureWithoutSecrets(failure: Failure, channel: Secretive): Failure {
  const clean = (text: string | null): string | null => (text === null ? null : withoutSecrets(text, channel))
  const { message, type, param, code } = failure
  return { ...failure, message: withoutSecrets(message, channel), type: clean(type), param: clean(param), code: clean(code) }
}
