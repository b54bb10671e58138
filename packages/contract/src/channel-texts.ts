// Texts of a channel that have a form of their own.

import { parseJsonText } from './parse-json-text.ts'
import { parseUrl } from './parse-url.ts'

export function isHttpUrl(value: string): boolean {
  const url = parseUrl(value)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  )
}

export function isModelMapping(value: string): boolean {
  try {
    const mapping = parseJsonText(value)
    return (
      typeof mapping === 'object' &&
      mapping !== null &&
      !Array.isArray(mapping) &&
      Object.values(mapping).every((name) => typeof name === 'string' && name !== '')
    )
  } catch {
    return false
  }
}

/** Members of a JSON object. */
export function rowsIn(value: string): number {
  return Object.keys(Object(parseJsonText(value))).length
}

export function isJsonObject(value: string): boolean {
  try {
    const parsed = parseJsonText(value)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}
