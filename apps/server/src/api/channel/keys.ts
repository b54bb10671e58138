import { vendorByType } from '@sluice/vendors/registry/list'
import { AppError } from '../../lib/app-error.ts'

/**
 * One key a line, or a single empty key; a key that is made of configuration members may itself have several lines.
 * @throws AppError when the key is missing and the vendor of the type requires one
 */
export function keysIn(text: string, type: number): readonly string[] {
  const keys = linesOf(text, type)
  if (keys.length > 0) return keys
  needKey('', type, 'channel_name_and_key_required')
  return ['']
}

/** Returns one key a line, or a single empty key if there is none, whatever the type requires. */
export function keysOrNone(text: string, type: number): readonly string[] {
  const keys = linesOf(text, type)
  return keys.length > 0 ? keys : ['']
}

/** @throws AppError when the key is missing and the vendor of the type requires one */
export function needKey(key: string, type: number, messageKey: 'channel_name_and_key_required' | 'channel_key_required'): void {
  if (lacksKey(key, type)) throw new AppError('invalid_parameter', { messageKey, params: { name: 'key' }, field: 'key' })
}

/** Whether the key is missing and the vendor of the type requires one. */
export function lacksKey(key: string, type: number): boolean {
  return key.trim() === '' && vendorByType(type)?.key.isOptional !== true
}

function linesOf(text: string, type: number): readonly string[] {
  const lines = vendorByType(type)?.key.fields === undefined ? text.split('\n') : [text]
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}
