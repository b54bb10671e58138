import { keyPlaceholder } from '@sluice/contract'
import type { Failure } from '@sluice/vendors/dialect'
import type { ChannelSettings } from '../model/channel.ts'

/** A key, a part of one, or a value of a header that is shorter is no secret, and stands in ordinary words: a placeholder, a number, a team. */
const secretCharsMin = 8

/** What a channel shows its vendor and nobody else may see. */
export interface Secretive {
  readonly key: string
  readonly settings: Pick<ChannelSettings, 'headers'>
}

/** Takes a channel's secrets out of its vendor's words. */
export function withoutSecrets(text: string, channel: Secretive): string {
  return secretsOf(channel).reduce((words, secret) => words.replaceAll(secret, '***'), text)
}

/** Longest first, so that no part of one remains. Some keys are several values in one (`id|secret`); each may be repeated by itself. */
function secretsOf({ key, settings }: Secretive): readonly string[] {
  const values = Object.values(settings.headers).map((value) => value.replaceAll(keyPlaceholder, ''))
  // A header may say of what kind its secret is: `Token abc`.
  const parts = [key, ...key.split('|'), ...values, ...values.flatMap((value) => value.split(/\s+/))].filter(
    (part) => part.length >= secretCharsMin,
  )
  return parts.sort((one, other) => other.length - one.length)
}

/** The same for all that a failure says. A vendor may repeat the key that it refuses, in whichever field; it never leaves the house. */
export function failureWithoutSecrets(failure: Failure, channel: Secretive): Failure {
  const clean = (text: string | null): string | null => (text === null ? null : withoutSecrets(text, channel))
  const { message, type, param, code } = failure
  return { ...failure, message: withoutSecrets(message, channel), type: clean(type), param: clean(param), code: clean(code) }
}
