import * as z from 'zod/mini'
import { lengthMax, says } from './parts.ts'

export const key = z.string(says('channel_name_and_key_required')).check(lengthMax(65_536, 'channel_key_too_long'))

/**
 * Finds empty parts of a key. Compatible consoles join a key from members of the configuration, and write `undefined` or `null` for a
 * missing member.
 */
function emptyParts(key: string): { readonly some: boolean; readonly all: boolean } {
  const isEmpty = (part: string): boolean => /^(?:undefined|null)?$/.test(part.trim())
  const parts = key.split('|')
  return { some: parts.some(isEmpty), all: parts.every(isEmpty) }
}

/** Whether no part of a key is empty. The server checks it, because only it knows the shape that keys of a type have. */
export const isWholeKey = (text: string): boolean => text.split('\n').every((line) => line.trim() === '' || !emptyParts(line).some)

/** The key in an edit of a stored channel: one with empty parts only counts as missing, so the stored one stays. */
export const newKey = z.pipe(
  key,
  z.transform((text: string) => (emptyParts(text).all ? '' : text)),
)
