import { keyPlaceholder } from '@sluice/contract'
import type { ChannelConfig } from '@sluice/vendors/core/channel-config'
import type { Failure } from '@sluice/vendors/core/failure'
import { waitSecondsMax } from '@sluice/vendors/core/retry-after-in-message'
import { parseAmount, parseText } from '../../lib/parse-value.ts'
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

/** Characters of a text in which secrets are looked for, and most characters of a failure's message and of its names, which are cut after that. */
const readCharsMax = 64 * 1024
const messageCharsMax = 2_000
const nameCharsMax = 200

/**
 * What of a vendor's failure may be stored and shown: texts of limited length, without unprintable characters and without the channel's secrets,
 * because a vendor may repeat the key that it refuses in any field; and a wait of at most a minute.
 */
export function parseFailure(failure: Failure, channel: Secretive): Failure {
  const textIn = (text: string, charsMax: number): string => parseText(withoutSecrets(parseText(text, readCharsMax), channel), charsMax)
  const nameIn = (text: string | null): string | null => (text === null ? null : textIn(text, nameCharsMax))
  const { kind, message, type, param, code, retryAfterSeconds } = failure
  const wait = parseAmount(retryAfterSeconds, Number.MAX_SAFE_INTEGER)
  return {
    kind,
    message: textIn(message, messageCharsMax),
    type: nameIn(type),
    param: nameIn(param),
    code: nameIn(code),
    ...(wait === null ? {} : { retryAfterSeconds: Math.min(waitSecondsMax, Math.ceil(wait)) }),
  }
}
