import * as z from 'zod/mini'
import { says } from './parts.ts'

export const key = z.string(says('channel_name_and_key_required')).check(z.maxLength(65_536, says('channel_key_too_long')))

/**
 * Parts of a key that hold nothing. Consoles of this family join a key from the members of the configuration, and write `undefined` or
 * `null` for a member that they did not get.
 */
function emptyParts(key: string): { readonly some: boolean; readonly all: boolean } {
  const isEmpty = (part: string): boolean => /^(?:undefined|null)?$/.test(part.trim())
  const parts = key.split('|')
  return { some: parts.some(isEmpty), all: parts.every(isEmpty) }
}

export const isWholeKey = (text: string): boolean => text.split('\n').every((line) => line.trim() === '' || !emptyParts(line).some)

/** The key of a stored channel: one without any part is no key, so that the stored one stays. */
export const newKey = z.pipe(
  z.pipe(
    key,
    z.transform((given: string) => (emptyParts(given).all ? '' : given)),
  ),
  z.string().check(z.refine((given) => given === '' || isWholeKey(given), says('channel_key_incomplete'))),
)
